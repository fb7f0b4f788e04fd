// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands math ops in place, in program order. The functions are in Math/; this
// file only finds the ops and reports all that cannot be expanded, not just the
// first.

#include "Kernels/Math/Expand.h"
#include "Kernels/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace convoy::kernels {

#define GEN_PASS_DEF_LOWERMATHPASS
#include "Kernels/Passes.h.inc"

namespace {

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
    for (mlir::Operation *op : found) {
      if (failed(expandMathOp(rewriter, op, {fuseMultiplyAdd}))) {
        signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace convoy::kernels
