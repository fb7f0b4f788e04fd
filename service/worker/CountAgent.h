// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emulated boards of a microcontroller as devices of the service: each counts the instructions of
// candidates under the emulator of the target. Counts do not depend on the load of this machine, so
// boards need neither a CPU of their own nor a sentinel.

#pragma once

#include "service/blobs/BlobClient.h"
#include "service/worker/Worker.h"

namespace convoy::service {

struct BoardOptions {
  std::string name;
  std::string deviceClass;
  targets::Target target; // a microcontroller
};

/// The error states why this machine cannot emulate the target.
llvm::Expected<std::unique_ptr<WorkStation>> makeCountStation(BoardOptions options,
                                                              std::shared_ptr<BlobClient> blobs);

} // namespace convoy::service
