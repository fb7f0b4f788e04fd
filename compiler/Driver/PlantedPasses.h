// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of a plug-in that run right after named passes of the pipeline, each time these
// run. Tests break the compiler with them, without a special build, to see that `convoy
// check` finds the break.

#pragma once

#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace convoy {
class StageObserver;
} // namespace convoy

namespace convoy::driver {

struct PlantedPasses {
  std::vector<std::string> plugins; // files of pass plug-ins
  std::vector<std::string> plants;  // "convoy-fusion-fuse-kernels:planted-drop-op"
};

/// Loads the plug-ins and gives the observer that runs their passes; null when there is
/// nothing to run.
llvm::Expected<std::shared_ptr<StageObserver>> loadPlantedPasses(const PlantedPasses &passes);

} // namespace convoy::driver
