// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the place stage.

#include "Place/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::place {

void addPlacePasses(mlir::OpPassManager &passes) { passes.addPass(createCheckCpuPass()); }

} // namespace convoy::place
