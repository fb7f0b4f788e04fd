// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contract of the place stage: the CPU can run every op outside of device regions. Fusion
// relies on it.

#include "Place/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::place {

void addPlaceContract(mlir::OpPassManager &passes) { passes.addPass(createCheckCpuPass()); }

} // namespace convoy::place
