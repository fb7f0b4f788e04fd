// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders of single layers.

#include "ConvCore/LayerBuilder.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::convcore {

Tensor transposed(const Tensor &matrix) {
  Tensor result(matrix.type(), {matrix.dim(1), matrix.dim(0)});
  dispatch(matrix.type(), [&](auto zero) {
    using T = decltype(zero);
    const T *from = matrix.data<T>();
    T *to = result.mutableData<T>();
    for (int64_t i = 0; i < matrix.size(); ++i) {
      to[i % matrix.dim(1) * matrix.dim(0) + i / matrix.dim(1)] = from[i];
    }
  });
  return result;
}

Type LayerBuilder::placeholder() const {
  return UnrankedTensorType::get(NoneType::get(builder.getContext()));
}

Value LayerBuilder::infer(Operation *op) {
  graph::Knowledge knowledge;
  [[maybe_unused]] LogicalResult typed = graph::inferResultTypes(op, knowledge);
  assert(succeeded(typed) && "a lowering emits what the type rules allow");
  op->setAttr(kNodesAttr, DenseI64ArrayAttr::get(op->getContext(), nodes));
  return op->getResult(0);
}

Value LayerBuilder::operand(Value value) {
  if (Value known = mapping->lookupOrNull(value)) {
    return known;
  }
  Operation *constant = builder.clone(*value.getDefiningOp<graph::ConstantOp>());
  mapping->map(value, constant->getResult(0));
  return constant->getResult(0);
}

std::string LayerBuilder::set(Value result, Value value) {
  mapping->map(result, value);
  return "";
}

Value LayerBuilder::conv(Value x, const Tensor &weight, const std::optional<Tensor> &bias,
                         const LayerWindow &window, ActAttr activation) {
  Value weightValue = constant(weight);
  Value biasValue = bias ? constant(*bias) : Value();
  return emit<ConvOp>(x, weightValue, biasValue, window.strides, window.pads, window.dilations,
                      window.groups, /*inputZeroPoint=*/0, /*weightZeroPoint=*/0, activation,
                      RequantAttr());
}

Value LayerBuilder::fullyConnected(Value x, const Tensor &weight,
                                   const std::optional<Tensor> &bias) {
  int64_t inputs = weight.dim(1);
  int64_t rows = *elementCount(shapeOf(x)) / std::max<int64_t>(inputs, 1);
  Value pixels = reshape(x, {rows, inputs, 1, 1});
  return conv(pixels, weight.reshaped({weight.dim(0), inputs, 1, 1}), bias,
              {{1, 1}, {0, 0, 0, 0}, {1, 1}, 1});
}

Value LayerBuilder::eltwise(EltwiseKind kind, Value lhs, Value rhs) {
  return emit<EltwiseOp>(lhs, rhs, kind, /*lhsZeroPoint=*/0, /*rhsZeroPoint=*/0,
                         /*lhsMultiplier=*/1, /*rhsMultiplier=*/1, ActAttr(), RequantAttr());
}

Value LayerBuilder::scale(Value x, const Tensor &scale, const std::optional<Tensor> &bias) {
  Value scaleValue = constant(scale);
  return emit<ScaleOp>(x, scaleValue, bias ? constant(*bias) : Value(), ActAttr());
}

Value LayerBuilder::prelu(Value x, const Tensor &slope) {
  return emit<PReluOp>(x, constant(slope));
}

Value LayerBuilder::activation(Value x, ActAttr activation) {
  return emit<ActivationOp>(x, activation);
}

Value LayerBuilder::pool(PoolKind kind, Value x, ArrayRef<int64_t> kernel,
                         ArrayRef<int64_t> strides, ArrayRef<int64_t> pads, bool countIncludePad,
                         int64_t inputZeroPoint, RequantAttr requant) {
  // A window that covers the whole input has one position, so its stride has no effect. Stride 1 is
  // within the limits of every device.
  SmallVector<int64_t> steps(strides);
  Shape shape = shapeOf(x);
  for (size_t i = 0; i < 2; ++i) {
    steps[i] = kernel[i] == shape[i + 2] + pads[i] + pads[i + 2] ? 1 : steps[i];
  }
  return emit<PoolOp>(x, kind, kernel, ArrayRef<int64_t>(steps), pads, countIncludePad,
                      inputZeroPoint, requant);
}

Value LayerBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  return shapeOf(x) == Shape(shape) ? x : emit<ReshapeOp>(x, shape);
}

} // namespace convoy::convcore
