// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bounds follow from types only, so that no operand is read.

#include "Simplify/FoldingTerms.h"
#include "Graph/Graph.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::simplify {
namespace {

double product(ArrayRef<int64_t> dims) {
  double result = 1;
  for (int64_t dim : dims) {
    result *= static_cast<double>(dim);
  }
  return result;
}

ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

double elements(Value value) { return product(shapeOf(value)); }

/// Returns the elements of `ends` times the elements of the weight for one of its first dimension.
double windowTerms(Value ends, Value weight) {
  return elements(ends) * product(shapeOf(weight).drop_front());
}

/// Returns the elements of the result times the columns of the left operand.
double productTerms(Operation *op) {
  ArrayRef<int64_t> left = shapeOf(op->getOperand(0));
  return elements(op->getResult(0)) * (left.empty() ? 1 : static_cast<double>(left.back()));
}

/// Returns the elements of the result times the pixels of a plane, the largest window.
double poolTerms(Operation *op) {
  ArrayRef<int64_t> input = shapeOf(op->getOperand(0));
  return elements(op->getResult(0)) * product(input.drop_front(std::min<size_t>(input.size(), 2)));
}

/// Each step multiplies both weights by a vector of the batch.
double recurrentTerms(Operation *op) {
  ArrayRef<int64_t> input = shapeOf(op->getOperand(0));
  return product(input.drop_back(input.empty() ? 0 : 1)) *
         (elements(op->getOperand(1)) + elements(op->getOperand(2)));
}

/// Each box is compared with every other box of the image, for each class.
double suppressionTerms(Operation *op) {
  ArrayRef<int64_t> scores = shapeOf(op->getOperand(1));
  return product(scores) * (scores.empty() ? 1 : static_cast<double>(scores.back()));
}

} // namespace

double foldingTerms(Operation *op) {
  using namespace graph;
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<MatMulOp, ByteMatMulOp, IntegerMatMulOp>(productTerms)
      .Case<ConvOp, IntegerConvOp, DeformConvOp>(
          [](auto conv) { return windowTerms(conv.getResult(), conv.getWeight()); })
      .Case([](ConvTransposeOp conv) { return windowTerms(conv.getInput(), conv.getWeight()); })
      .Case<MaxPoolOp, AveragePoolOp, LpPoolOp, IntegerSumPoolOp, MaxRoiPoolOp>(poolTerms)
      .Case<RNNOp, GRUOp, LSTMOp>(recurrentTerms)
      .Case<NonMaxSuppressionOp>(suppressionTerms)
      .Case<DetOp>([](Operation *det) {
        ArrayRef<int64_t> shape = shapeOf(det->getOperand(0));
        return product(shape) * (shape.empty() ? 1 : static_cast<double>(shape.back()));
      })
      .Case<LRNOp>([](Operation *lrn) {
        ArrayRef<int64_t> shape = shapeOf(lrn->getOperand(0));
        return product(shape) * (shape.size() < 2 ? 1 : static_cast<double>(shape[1]));
      })
      .Default([](Operation *) { return 0.0; });
}

} // namespace convoy::simplify
