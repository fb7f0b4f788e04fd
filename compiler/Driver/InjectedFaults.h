// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes of a plug-in after named passes of the pipeline, each time these passes run.
// Tests inject faults into the compiler this way, without a special build, and check that
// `convoy check` finds the fault. The flags are --load-pass-plugin and --inject.

#pragma once

#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace convoy {
class StageObserver;
} // namespace convoy

namespace convoy::driver {

struct FaultInjection {
  std::vector<std::string> plugins; // files of pass plug-ins
  std::vector<std::string> faults;  // "convoy-fusion-fuse-kernels:injected-drop-op"
};

/// Loads the plug-ins and returns the observer that runs their passes, or null if there is
/// no fault to inject.
llvm::Expected<std::shared_ptr<StageObserver>> loadFaults(const FaultInjection &passes);

} // namespace convoy::driver
