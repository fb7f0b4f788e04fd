// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass order of the kernels stage. Template passes lower the kernels of their configuration;
// the generic loops lower all remaining kernels.

#include "Kernels/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::kernels {

void addKernelsPasses(mlir::OpPassManager &passes, const KernelsOptions &options) {
  passes.addPass(createLowerOffloadPass());
  addTemplatePasses(passes);
  passes.addPass(createLowerLoopsPass());
  // This pass runs last, because vectorized kernels still contain math ops, which it expands for
  // each lane.
  passes.addPass(createLowerMathPass({options.fuseMultiplyAdd}));
}

void addKernelsContract(mlir::OpPassManager &passes) {
  passes.addPass(createCheckKernelsContractPass());
}

} // namespace convoy::kernels
