// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-graph-fold-packed-transposes. Exporters store a matrix as N x K, with blocks
// along K, and transpose the dequantized matrix in front of the product (or write Gemm with
// transB). The pass transposes the integers, scales and zero points instead. FoldConstants folds
// these transposes, and the matrix is one that graph::isPackedMatrix accepts.

#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_FOLDPACKEDTRANSPOSESPASS
#include "Simplify/Passes.h.inc"

namespace {

/// Returns whether the op swaps two dimensions, and only products read its result, each as its
/// second matrix.
bool isTransposedFactor(Operation *op) {
  auto transpose = dyn_cast<TransposeOp>(op);
  return transpose && transpose.getPerm() == ArrayRef<int64_t>({1, 0}) && !op->use_empty() &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           return isa<MatMulOp>(use.getOwner()) && use.getOperandNumber() == 1;
         });
}

/// Returns whether the op dequantizes a constant matrix with blocks along its second dimension, of
/// which all readers need the transpose.
bool isTransposedMatrix(DequantizeLinearOp op) {
  auto isConstantMatrix = [](Value operand) {
    RankedTensorType type = staticType(operand);
    return type && type.getRank() == 2 && operand.getDefiningOp<ConstantOp>();
  };
  return op.getBlockSize() > 0 && op.getAxis() == 1 && !op->use_empty() &&
         llvm::all_of(op->getOperands(), isConstantMatrix) &&
         llvm::all_of(op->getUsers(), isTransposedFactor);
}

struct FoldPackedTransposes : impl::FoldPackedTransposesPassBase<FoldPackedTransposes> {
  void runOnOperation() override {
    SmallVector<DequantizeLinearOp> matrices;
    getOperation().walk([&](DequantizeLinearOp op) {
      if (isTransposedMatrix(op)) {
        matrices.push_back(op);
      }
    });
    for (DequantizeLinearOp op : matrices) {
      OpBuilder builder(op);
      TypedBuilder b(builder, op.getLoc());
      auto transposed = [&](Value x) { return x ? b.transpose(x, {1, 0}) : Value(); };
      Value matrix = b.emit<DequantizeLinearOp>(
          transposed(op.getInput()), transposed(op.getScale()), transposed(op.getZeroPoint()),
          op.getTo(), int64_t(0), op.getBlockSize());
      for (Operation *reader : llvm::make_early_inc_range(op->getUsers())) {
        reader->replaceAllUsesWith(ValueRange{matrix});
        reader->erase();
      }
      op->erase();
      ++foldedTransposes;
    }
  }
};

} // namespace
} // namespace convoy::simplify
