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
  folding.keepsPacked = options.keepsPacked;
  OpPassManager &function = passes.nest<func::FuncOp>();
  if (options.keepsPacked) {
    // Runs before FoldConstants, which folds a transposed matrix to floats.
    function.addPass(createFoldPackedTransposesPass());
  }
  function.addPass(createFoldConstantsPass(folding));
  // Runs before CancelTransposes, which can then cancel the transposes of einsums.
  function.addPass(createLowerEinsumsPass());
  // Runs after constant folding, which makes lengths and the windows of STFT constant.
  function.addPass(createLowerFourierPass());
  // Runs before FoldBatchNorm, so that each batch norm directly follows its convolution.
  function.addPass(createCancelTransposesPass());
  // Runs before LowerComposites, which lowers tables from numbers to numbers.
  function.addPass(createLowerStringsPass());
  // Runs before LowerComposites, which lowers batch norms.
  function.addPass(createFoldBatchNormPass());
  function.addPass(createLowerCompositesPass());
  // Folds the parts of lowered composites that depend only on weights.
  function.addPass(createFoldConstantsPass(folding));
  if (options.lowersConvs || options.lowersTransposedConvs) {
    // Runs after FoldBatchNorm, which folds batch norms into convolutions.
    function.addPass(createLowerTransposedConvsPass());
  }
  if (options.lowersConvs) {
    function.addPass(createLowerVolumeConvsPass());
  }
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
