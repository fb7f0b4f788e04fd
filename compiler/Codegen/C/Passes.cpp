// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the passes of the C backend in order.

#include "Codegen/C/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace convoy::codegen {

void addSourcePasses(OpPassManager &passes) {
  OpPassManager &functions = passes.nestAny(); // kernels, main and workers
  functions.addPass(createLowerForSourcePass());
  // C compilers would fold this too; folding here makes the text readable.
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  passes.addPass(createCheckSourceContractPass());
}

} // namespace convoy::codegen
