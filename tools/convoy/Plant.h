// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planted bugs: passes of a plug-in that run right after named passes of the
// pipeline, each time these run. Tests break the compiler with them, without a
// special build, to see that `convoy check` finds the break.

#pragma once

#include "Options.h"
#include "Pipeline/Pipeline.h"
#include "llvm/Support/Error.h"

namespace convoy::driver {

/// Loads the plug-ins and gives what plants their passes in a pass manager; null
/// when nothing is to be planted.
llvm::Expected<PassHook> loadPlants(const PlantOptions &options);

} // namespace convoy::driver
