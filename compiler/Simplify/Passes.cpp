// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the order of the passes of the graph stage.

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
  // Runs first, so that each batch norm directly follows its convolution.
  function.addPass(createCancelTransposesPass());
  // Runs before LowerComposites, which lowers batch norms.
  function.addPass(createFoldBatchNormPass());
  function.addPass(createLowerCompositesPass());
  // Folds the parts of lowered composites that depend only on weights.
  function.addPass(createFoldConstantsPass(folding));
  // Transposed weights and the weights of recurrent layers are constants now, which SplitProducts
  // and LowerBatchedProducts require.
  function.addPass(createSplitProductsPass());
  // Folds the parts of split weights.
  function.addPass(createFoldConstantsPass(folding));
  function.addPass(createLowerBatchedProductsPass());
  // Runs after constant folding, which makes sizes static.
  function.addPass(createInsertExtentsPass());
  function.addPass(createCSEPass());
  function.addPass(createCanonicalizerPass());
}

} // namespace convoy::simplify
