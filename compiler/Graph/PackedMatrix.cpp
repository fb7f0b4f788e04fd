// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements PackedMatrix.h.

#include "Graph/PackedMatrix.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

bool isPackedMatrix(Operation *op) {
  auto dequantize = dyn_cast<DequantizeLinearOp>(op);
  auto type = dequantize ? dyn_cast<RankedTensorType>(dequantize.getType()) : RankedTensorType();
  auto isFactor = [](OpOperand &use) {
    return isa<MatMulOp>(use.getOwner()) && use.getOperandNumber() == 1;
  };
  auto isConstant = [](Value operand) { return operand.getDefiningOp<ConstantOp>() != nullptr; };
  return type && type.getRank() == 2 && dequantize.getBlockSize() > 0 && !op->use_empty() &&
         llvm::all_of(op->getOperands(), isConstant) && llvm::all_of(op->getUses(), isFactor);
}

} // namespace convoy::graph
