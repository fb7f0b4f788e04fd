// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports quantization ops. QuantizeLinear and DequantizeLinear have their own
// graph ops; the ops of the domain com.microsoft, which models of old opsets use,
// have the same meaning. Integer products become byte_matmul, so their weights stay 8 bits.
// Integer convolutions become casts to i32, a subtraction of zero points and the
// i32 layer. QLinear layers additionally requantize in floating point, as ONNX
// specifies.

#include "Import/IntegerProduct.h"
#include "Import/OpTable.h"
#include "Import/WindowAttributes.h"

using namespace mlir;

namespace convoy::import {
namespace {

//===-- QuantizeLinear and DequantizeLinear ------------------------------------------------===//

/// The parameters that QuantizeLinear and DequantizeLinear share.
struct LinearParameters {
  Value scale;
  Value zeroPoint; // null if the node has none
  int64_t axis = 0;
  int64_t blockSize = 0;
};

FailureOr<LinearParameters> linearParameters(NodeContext &n, Value x) {
  LinearParameters p;
  p.blockSize = n.intAttr("block_size", 0);
  bool isBlocked = p.blockSize != 0;
  p.scale = isBlocked ? n.input(1) : scalarIfSingle(n, n.input(1));
  p.zeroPoint = isBlocked ? n.input(2) : scalarIfSingle(n, n.input(2));
  bool isPerTensor = n.hasRank(p.scale) && *n.rank(p.scale) == 0;
  if (isPerTensor) {
    return p; // a scalar scale ignores the axis, and the default axis may be out of range
  }
  FailureOr<int64_t> rank = n.rank(x);
  if (failed(rank)) {
    return failure();
  }
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", 1), *rank);
  if (failed(axis)) {
    return failure();
  }
  p.axis = *axis;
  return p;
}

/// Returns the element type that an attribute specifies, or `otherwise` if it
/// is 0.
FailureOr<ElementType> typeOr(NodeContext &n, StringRef attribute, ElementType otherwise) {
  return n.intAttr(attribute, 0) == 0 ? FailureOr<ElementType>(otherwise)
                                      : n.elementTypeAttr(attribute, otherwise);
}

LogicalResult importQuantizeLinear(NodeContext &n) {
  if (failed(n.require(0, "x")) || failed(n.require(1, "y_scale"))) {
    return failure();
  }
  Value x = n.input(0);
  FailureOr<LinearParameters> p = linearParameters(n, x);
  ElementType natural = n.input(2) ? n.element(n.input(2)) : ElementType::U8;
  FailureOr<ElementType> to = typeOr(n, "output_dtype", natural);
  FailureOr<ElementType> precision = typeOr(n, "precision", n.element(n.input(1)));
  if (failed(p) || failed(to) || failed(precision)) {
    return failure();
  }
  // graph.quantize divides in the element type of its scale.
  bool saturates = n.intAttr("saturate", 1) != 0;
  return n.yield(n.emit<graph::QuantizeLinearOp>(x, n.cast(p->scale, *precision), p->zeroPoint,
                                                 toMlir(*to, n.builder.getContext()), p->axis,
                                                 p->blockSize, saturates));
}

LogicalResult importDequantizeLinear(NodeContext &n) {
  if (failed(n.require(0, "x")) || failed(n.require(1, "x_scale"))) {
    return failure();
  }
  FailureOr<LinearParameters> p = linearParameters(n, n.input(0));
  FailureOr<ElementType> to = typeOr(n, "output_dtype", n.element(n.input(1)));
  if (failed(p) || failed(to)) {
    return failure();
  }
  return n.yield(n.emit<graph::DequantizeLinearOp>(n.input(0), p->scale, p->zeroPoint,
                                                   toMlir(*to, n.builder.getContext()), p->axis,
                                                   p->blockSize));
}

/// Quantizes to u8 with a scale and zero point whose range covers the input and
/// 0.
LogicalResult importDynamicQuantizeLinear(NodeContext &n) {
  if (failed(n.require(0, "x"))) {
    return failure();
  }
  DynamicBytes bytes = quantizeDynamically(n, n.input(0));
  return n.yield({bytes.quantized, bytes.scale, bytes.zeroPoint});
}

//===-- Layers on integers -----------------------------------------------------------------===//

/// Reshapes a vector with one entry per channel so that it broadcasts over
/// `trailing` dimensions after the channels.
Value perChannel(NodeContext &n, Value value, int64_t trailing) {
  bool isVector = value && n.hasRank(value) && *n.rank(value) == 1;
  if (!isVector) {
    return value;
  }
  Shape shape(trailing + 1, 1);
  shape[0] = -1;
  return n.reshape(value, shape);
}

/// Returns saturate(round(sums * multiplier) + zeroPoint) in the zero point's
/// type. The multiplier is scaleX * scaleW / scaleY, computed in f32.
Value requantize(NodeContext &n, Value sums, Value multiplier, Value zeroPoint) {
  Value scaled = n.mul(n.cast(sums, ElementType::F32), multiplier);
  return n.emit<graph::QuantizeLinearOp>(scaled, n.scalar(ElementType::F32, 1),
                                         scalarIfSingle(n, zeroPoint), n.elementType(zeroPoint),
                                         int64_t(0), int64_t(0), /*saturate=*/true);
}

Value multiplierOf(NodeContext &n, Value scaleX, Value scaleW, Value scaleY) {
  auto f32 = [&](Value scale) { return n.cast(scale, ElementType::F32); };
  return n.div(n.mul(f32(scaleX), f32(scaleW)), f32(scalarIfSingle(n, scaleY)));
}

LogicalResult importMatMulInteger(NodeContext &n) {
  if (failed(n.requireAll({"A", "B"}))) {
    return failure();
  }
  return n.yield(multiplyBytes(n, n.input(0), n.input(2), n.input(1), n.input(3)));
}

LogicalResult importQLinearMatMul(NodeContext &n) {
  if (failed(n.requireAll({"a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point",
                           "y_scale", "y_zero_point"}))) {
    return failure();
  }
  Value sums = multiplyBytes(n, n.input(0), n.input(2), n.input(3), n.input(5));
  Value multiplier = multiplierOf(n, perRow(n, scalarIfSingle(n, n.input(1))),
                                  scalarIfSingle(n, n.input(4)), n.input(6));
  return n.yield(requantize(n, sums, multiplier, n.input(7)));
}

/// Imports the quantized Gemm of ONNX Runtime: (alpha * (A B + C)) in the scale a_scale * b_scale.
/// Without y_zero_point, the result is f32.
LogicalResult importQGemm(NodeContext &n) {
  if (failed(n.requireAll({"A", "a_scale", "a_zero_point", "B", "b_scale", "b_zero_point"}))) {
    return failure();
  }
  auto given = [&](unsigned i, StringRef attribute) {
    return n.intAttr(attribute, 0) != 0 ? n.transpose(n.input(i), {1, 0}) : n.input(i);
  };
  Value sums = multiplyBytes(n, given(0, "transA"), n.input(2), given(3, "transB"), n.input(5));
  if (n.input(6)) {
    sums = n.add(sums, n.input(6));
  }
  Value scale = n.mul(n.cast(scalarIfSingle(n, n.input(1)), ElementType::F32),
                      n.cast(scalarIfSingle(n, n.input(4)), ElementType::F32));
  if (double alpha = n.floatAttr("alpha", 1); alpha != 1) {
    scale = n.mul(n.scalar(ElementType::F32, alpha), scale);
  }
  if (!n.input(8)) {
    return n.yield(n.mul(n.cast(sums, ElementType::F32), scale));
  }
  if (failed(n.require(7, "y_scale"))) {
    return failure();
  }
  scale = n.div(scale, n.cast(scalarIfSingle(n, n.input(7)), ElementType::F32));
  return n.yield(requantize(n, sums, scale, n.input(8)));
}

/// Returns the products of integers in the scale of both operands, plus a bias that may be null.
Value scaledSum(NodeContext &n, Value sums, Value scale, Value bias) {
  Value product = n.mul(n.cast(sums, n.element(scale)), scale);
  return bias ? n.add(product, bias) : product;
}

/// Imports the product of ONNX Runtime with 8-bit operands and an f32 result.
LogicalResult importMatMulIntegerToFloat(NodeContext &n) {
  if (failed(n.requireAll({"A", "B", "a_scale", "b_scale"}))) {
    return failure();
  }
  Value sums = multiplyBytes(n, n.input(0), n.input(4), n.input(1), n.input(5));
  Value scale = n.mul(perRow(n, scalarIfSingle(n, n.input(2))), scalarIfSingle(n, n.input(3)));
  return n.yield(scaledSum(n, sums, scale, n.input(6)));
}

/// Imports the product of an f32 matrix, which is quantized with its own range, and 8-bit weights.
LogicalResult importDynamicQuantizeMatMul(NodeContext &n) {
  if (failed(n.requireAll({"A", "B", "b_scale"}))) {
    return failure();
  }
  DynamicBytes a = quantizeDynamically(n, n.input(0));
  Value sums = multiplyBytes(n, a.quantized, a.zeroPoint, n.input(1), n.input(3));
  Value scale = n.mul(a.scale, scalarIfSingle(n, n.input(2)));
  return n.yield(scaledSum(n, sums, scale, n.input(4)));
}

/// Returns the rank of convolution weights, which have at least one spatial
/// dimension.
FailureOr<int64_t> weightRank(NodeContext &n, Value w) {
  FailureOr<int64_t> rank = n.rank(w);
  if (failed(rank) || *rank >= 3) {
    return rank;
  }
  return FailureOr<int64_t>(n.error() << "expects weights of rank 3 or more, got " << w.getType());
}

/// Convolves integers whose zero point was subtracted, so that padding with 0
/// is correct.
FailureOr<Value> convolveIntegers(NodeContext &n, Value x, Value w, Value bias) {
  FailureOr<WindowAttributes> window = readConvWindow(n, x, w);
  if (failed(window)) {
    return failure();
  }
  return n.emit<graph::ConvOp>(x, w, bias, window->strides, window->pads, window->dilations,
                               n.intAttr("group", 1));
}

LogicalResult importConvInteger(NodeContext &n) {
  if (failed(n.requireAll({"x", "w"}))) {
    return failure();
  }
  FailureOr<int64_t> rank = weightRank(n, n.input(1));
  if (failed(rank)) {
    return failure();
  }
  Value x = centered(n, n.input(0), scalarIfSingle(n, n.input(2)));
  Value w = centered(n, n.input(1), perChannel(n, scalarIfSingle(n, n.input(3)), *rank - 1));
  FailureOr<Value> sums = convolveIntegers(n, x, w, Value());
  return failed(sums) ? failure() : n.yield(*sums);
}

LogicalResult importQLinearConv(NodeContext &n) {
  if (failed(n.requireAll({"x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point",
                           "y_scale", "y_zero_point"}))) {
    return failure();
  }
  FailureOr<int64_t> rank = weightRank(n, n.input(3));
  if (failed(rank)) {
    return failure();
  }
  Value x = centered(n, n.input(0), scalarIfSingle(n, n.input(2)));
  Value w = centered(n, n.input(3), perChannel(n, scalarIfSingle(n, n.input(5)), *rank - 1));
  FailureOr<Value> sums = convolveIntegers(n, x, w, n.input(8));
  if (failed(sums)) {
    return failure();
  }
  // Dimension 1 of the result holds the output channels, followed by rank - 2
  // spatial dimensions.
  Value scaleW = perChannel(n, scalarIfSingle(n, n.input(4)), *rank - 2);
  Value multiplier = multiplierOf(n, scalarIfSingle(n, n.input(1)), scaleW, n.input(6));
  return n.yield(requantize(n, *sums, multiplier, n.input(7)));
}

} // namespace

llvm::ArrayRef<OpRow> quantizationRows() {
  static const OpRow kRows[] = {
      {"ConvInteger", importConvInteger},
      {"DequantizeLinear", importDequantizeLinear},
      {"DequantizeLinear", importDequantizeLinear, "", kMicrosoft},
      {"DynamicQuantizeLinear", importDynamicQuantizeLinear},
      {"DynamicQuantizeMatMul", importDynamicQuantizeMatMul, "", kMicrosoft},
      {"MatMulInteger", importMatMulInteger},
      {"MatMulIntegerToFloat", importMatMulIntegerToFloat, "", kMicrosoft},
      {"QGemm", importQGemm, "", kMicrosoft},
      {"QLinearConv", importQLinearConv},
      {"QLinearMatMul", importQLinearMatMul},
      {"QuantizeLinear", importQuantizeLinear},
      {"QuantizeLinear", importQuantizeLinear, "", kMicrosoft},
  };
  return kRows;
}

} // namespace convoy::import
