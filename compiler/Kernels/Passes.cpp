// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass order of the kernels stage. Template passes lower the kernels of their configuration;
// the generic loops lower all remaining kernels.

#include "Kernels/Passes.h"
#include "Kernels/DotProduct.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::kernels {

void addKernelsPasses(mlir::OpPassManager &passes, const KernelsOptions &options) {
  passes.addPass(createLowerOffloadPass());
  passes.addPass(createLowerConvDirectPass({options.vectorBytes}));
  passes.addPass(createLowerConvPixelsPass({options.vectorBytes}));
  passes.addPass(createLowerPoolPixelsPass({options.vectorBytes}));
  std::string dot = nameOf(options.dot).str();
  passes.addPass(createLowerConvDotPass({options.vectorBytes, dot}));
  passes.addPass(createLowerConvTilesPass({options.vectorBytes}));
  passes.addPass(createLowerDepthwisePass({options.vectorBytes, dot}));
  passes.addPass(createLowerWinogradPass({options.vectorBytes}));
  passes.addPass(createLowerWinogradPixelsPass({options.vectorBytes}));
  passes.addPass(createLowerLoopsPass({options.vectorBytes}));
  // This pass runs last, because vectorized kernels still contain math ops, which it expands for
  // each lane.
  passes.addPass(createLowerMathPass({options.fuseMultiplyAdd}));
}

void addKernelsContract(mlir::OpPassManager &passes) {
  passes.addPass(createCheckKernelsContractPass());
}

} // namespace convoy::kernels
