// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands math ops in place, in program order. The functions are in Math/; this
// file only finds the ops and reports all that cannot be expanded, not just the
// first. Templates write multiply-adds as math.fma whatever the machine: here they
// are taken apart where it has no such instruction.

#include "Kernels/Math/Expand.h"
#include "Kernels/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace convoy::kernels {

#define GEN_PASS_DEF_LOWERMATHPASS
#include "Kernels/Passes.h.inc"

namespace {

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
    // Collected first: expansions hold math ops themselves.
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
