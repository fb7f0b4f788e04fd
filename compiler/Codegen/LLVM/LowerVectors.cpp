// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits vector, bf16 and f16 ops until each op has one LLVM counterpart. The patterns are
// upstream's, except for f16 (HalfPatterns.cpp); this file selects them.

#include "Codegen/LLVM/HalfPatterns.h"
#include "Codegen/LLVM/Passes.h"
#include "Support/TypedDiagnostic.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_LOWERVECTORSPASS
#include "Codegen/LLVM/Passes.h.inc"

namespace {

class LowerVectorsPass : public impl::LowerVectorsPassBase<LowerVectorsPass> {
public:
  using impl::LowerVectorsPassBase<LowerVectorsPass>::LowerVectorsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    vector::populateVectorBroadcastLoweringPatterns(owned);
    vector::populateVectorMaskOpLoweringPatterns(owned);
    vector::populateVectorMaskMaterializationPatterns(owned, /*force32BitVectorIndices=*/false);
    vector::populateVectorShapeCastLoweringPatterns(owned);
    vector::populateVectorTransposeLoweringPatterns(owned, vector::VectorTransformsOptions());
    vector::populateVectorInsertExtractStridedSliceTransforms(owned);
    arith::populateExpandBFloat16Patterns(owned);
    populateHalfExtremumPatterns(owned);
    if (expandHalves) {
      populateHalfPatterns(owned);
    }
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatternsAndFoldGreedily(getOperation(), patterns))) {
      emitBug(getOperation(),
              "vector lowering does not reach a fixed point; this is a bug in convoy");
      signalPassFailure();
    }
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace convoy::codegen
