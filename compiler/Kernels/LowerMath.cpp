// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands math ops in place, in program order, with the functions of Math/. The pass reports every
// op that it cannot expand, not only the first. Templates always emit multiply-adds as math.fma; if
// the target has no such instruction, this pass splits them.

#include "Kernels/Math/Expand.h"
#include "Kernels/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace convoy::kernels {

#define GEN_PASS_DEF_LOWERMATHPASS
#include "Kernels/Passes.h.inc"

namespace {

/// Splits a multiply-add into a product and a sum:
///
///   %y = math.fma %a, %b, %c : vector<4xf32>         // before
///
///   %p = arith.mulf %a, %b : vector<4xf32>           // after
///   %y = arith.addf %p, %c : vector<4xf32>
void splitFma(mlir::IRRewriter &rewriter, mlir::math::FmaOp op) {
  rewriter.setInsertionPoint(op);
  mlir::Value product = rewriter.create<mlir::arith::MulFOp>(op.getLoc(), op.getA(), op.getB());
  rewriter.replaceOpWithNewOp<mlir::arith::AddFOp>(op, product, op.getC());
}

class LowerMathPass : public impl::LowerMathPassBase<LowerMathPass> {
public:
  using impl::LowerMathPassBase<LowerMathPass>::LowerMathPassBase;

  void runOnOperation() override {
    // Collect the ops first, because the expansions contain math ops too.
    llvm::SmallVector<mlir::Operation *> found;
    getOperation()->walk([&](mlir::Operation *op) {
      if (llvm::isa_and_nonnull<mlir::math::MathDialect>(op->getDialect()) && !isExactMathOp(op)) {
        found.push_back(op);
      }
    });
    mlir::IRRewriter rewriter(&getContext());
    if (!fuseMultiplyAdd) {
      getOperation()->walk([&](mlir::math::FmaOp op) { splitFma(rewriter, op); });
    }
    for (mlir::Operation *op : found) {
      if (failed(expandMathOp(rewriter, op, {fuseMultiplyAdd}))) {
        signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace convoy::kernels
