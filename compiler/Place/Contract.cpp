// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Fusion may assume after Place: every op is one the CPU runs.

#include "Place/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::place {

void addPlaceContract(mlir::OpPassManager &passes) { passes.addPass(createCheckCpuPass()); }

} // namespace convoy::place
