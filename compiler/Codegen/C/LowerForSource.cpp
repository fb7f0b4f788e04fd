// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites ops that have no operator in C with upstream's patterns, and products that C compilers
// do not recognize.

#include "Codegen/C/Passes.h"
#include "Kernels/Kernel.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_LOWERFORSOURCEPASS
#include "Codegen/C/Passes.h.inc"

namespace {

bool isSplat(Value value, int64_t number) {
  SplatElementsAttr splat;
  return matchPattern(value, m_Constant(&splat)) &&
         splat.getSplatValue<APInt>().getSExtValue() == number;
}

/// Returns a value whose lower halves, sign-extended, are the lanes of `value`; null if none is
/// known.
Value halvesOf(Value value) {
  auto right = value.getDefiningOp<arith::ShRSIOp>();
  auto left = right ? right.getLhs().getDefiningOp<arith::ShLIOp>() : arith::ShLIOp();
  if (left && isSplat(right.getRhs(), 32) && isSplat(left.getRhs(), 32)) {
    return left.getLhs();
  }
  SplatElementsAttr splat;
  bool isNarrow =
      matchPattern(value, m_Constant(&splat)) && splat.getSplatValue<APInt>().isSignedIntN(32);
  return isNarrow ? value : Value();
}

/// muli (shrsi (shli x, 32), 32), (shrsi (shli y, 32), 32)   ->   kernel.multiply_halves x, y
struct MultiplyHalves : OpRewritePattern<arith::MulIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulIOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    bool hasOp = type && type.getElementType().isInteger(64) && type.getRank() == 1 &&
                 llvm::is_contained({2, 4, 8}, type.getNumElements());
    Value x = hasOp ? halvesOf(op.getLhs()) : Value();
    Value y = x ? halvesOf(op.getRhs()) : Value();
    if (!y) {
      return rewriter.notifyMatchFailure(op, "the factors are not sign-extended halves of lanes");
    }
    rewriter.replaceOpWithNewOp<kernels::MultiplyHalvesOp>(op, type, x, y);
    return success();
  }
};

class LowerForSourcePass : public impl::LowerForSourcePassBase<LowerForSourcePass> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    arith::populateExpandBFloat16Patterns(owned);
    arith::populateCeilFloorDivExpandOpsPatterns(owned);
    owned.add<MultiplyHalves>(context);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatternsAndFoldGreedily(getOperation(), patterns))) {
      emitBug(getOperation(),
              "lowering for C does not reach a fixed point; this is a bug in convoy");
      signalPassFailure();
    }
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace convoy::codegen
