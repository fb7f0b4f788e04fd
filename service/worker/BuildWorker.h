// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds candidates for other machines: reads the task and the target from blobs, builds, uploads
// the library, the inputs and the expected results. The compiler runs in processes that start
// before any thread, because it forks and the linker is not thread-safe.

#pragma once

#include "service/blobs/BlobClient.h"
#include "service/worker/BuildProcess.h"
#include "service/worker/Worker.h"

namespace convoy::service {

struct BuilderOptions {
  std::string name; // of the station
  std::string cpu;  // the name of the CPU
};

/// Builds with a process of the pool; one station per process.
std::unique_ptr<WorkStation> makeBuildStation(BuilderOptions options, BuildProcess process,
                                              std::shared_ptr<BlobClient> blobs);

} // namespace convoy::service
