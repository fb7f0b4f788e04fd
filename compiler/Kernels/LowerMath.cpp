// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands math ops in place, in program order, with the functions of Math/. Adjacent ops of one
// function are expanded together and interleaved. The pass reports every op that it cannot expand,
// not only the first. Templates always emit multiply-adds as math.fma; if the target has no such
// instruction, this pass splits them.

#include "Kernels/Core/InterleaveChains.h"
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

/// Returns the number of ops at the front of `ops` that follow each other in a block, compute the
/// same function of vectors, and do not depend on each other; at least 1.
size_t adjacentOps(llvm::ArrayRef<mlir::Operation *> ops) {
  mlir::Operation *first = ops.front();
  size_t count = 1;
  auto isFromGroup = [&](mlir::Value value) {
    return llvm::is_contained(ops.take_front(count), value.getDefiningOp());
  };
  while (count < std::min<size_t>(ops.size(), kInterleavedChains) &&
         llvm::isa<mlir::VectorType>(first->getResult(0).getType()) &&
         ops[count - 1]->getNextNode() == ops[count] && ops[count]->getName() == first->getName() &&
         ops[count]->getResultTypes() == first->getResultTypes() &&
         llvm::none_of(ops[count]->getOperands(), isFromGroup)) {
    ++count;
  }
  return count;
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
    for (llvm::ArrayRef<mlir::Operation *> rest = found; !rest.empty();) {
      size_t count = adjacentOps(rest);
      if (failed(expandTogether(rewriter, rest.take_front(count)))) {
        signalPassFailure();
      }
      rest = rest.drop_front(count);
    }
  }

private:
  /// Expands ops that follow each other and interleaves the expansions.
  mlir::LogicalResult expandTogether(mlir::IRRewriter &rewriter,
                                     llvm::ArrayRef<mlir::Operation *> ops) {
    std::vector<std::vector<mlir::Operation *>> chains;
    mlir::LogicalResult result = mlir::success();
    for (mlir::Operation *op : ops) {
      mlir::Block *block = op->getBlock();
      mlir::Operation *before = op->getPrevNode();
      mlir::Block::iterator after = std::next(op->getIterator());
      if (failed(expandMathOp(rewriter, op, {fuseMultiplyAdd}))) {
        result = mlir::failure();
      }
      std::vector<mlir::Operation *> &chain = chains.emplace_back();
      for (auto it = before ? std::next(before->getIterator()) : block->begin(); it != after;
           ++it) {
        chain.push_back(&*it);
      }
    }
    if (chains.size() > 1) {
      interleaveOps(chains);
    }
    return result;
  }
};

} // namespace
} // namespace convoy::kernels
