// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the graph stage.

#include "Simplify/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;

void addSimplifyPasses(OpPassManager &passes, const SimplifyOptions &options) {
  FoldConstantsPassOptions folding;
  folding.keepsQuantized = options.keepsQuantized;
  OpPassManager &function = passes.nest<func::FuncOp>();
  function.addPass(createFoldConstantsPass(folding));
  // First of all, so that norms stand behind their convolutions.
  function.addPass(createCancelTransposesPass());
  // Before composites are lowered, since that takes batch norms apart.
  function.addPass(createFoldBatchNormPass());
  function.addPass(createLowerCompositesPass());
  // What the formulas of composites have in common with weights folds now.
  function.addPass(createFoldConstantsPass(folding));
  // After constant folding: transposed weights and the weights of recurrent layers are
  // constants only then.
  function.addPass(createLowerBatchedProductsPass());
  function.addPass(createCSEPass());
  function.addPass(createCanonicalizerPass());
}

} // namespace convoy::simplify
