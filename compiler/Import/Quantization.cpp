// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports quantisation ops. QuantizeLinear and DequantizeLinear have their own
// graph ops; the ops of the domain com.microsoft, which models of old opsets use,
// have the same meaning. Integer products become byte_matmul, so their weights stay 8 bits.
// Integer convolutions become casts to i32, a subtraction of zero points and the
// i32 layer. QLinear layers additionally requantize in floating point, as ONNX
// specifies.

#include "Import/OpTable.h"
#include "Import/WindowAttributes.h"

using namespace mlir;

namespace convoy::import {
namespace {

//===-- QuantizeLinear and DequantizeLinear ------------------------------------------------===//

/// Reshapes a vector of one element to a scalar, because exporters write
/// either.
Value scalarIfSingle(NodeContext &n, Value value) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  bool isSingle = type && type.getRank() == 1 && type.getDimSize(0) == 1;
  return isSingle ? n.reshape(value, {}) : value;
}

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

/// Quantises to u8 with a scale and zero point whose range covers the input and
/// 0.
LogicalResult importDynamicQuantizeLinear(NodeContext &n) {
  if (failed(n.require(0, "x"))) {
    return failure();
  }
  Value x = n.input(0);
  SmallVector<Value> parameters = n.emitAll<graph::DynamicScaleOp, 2>(x);
  Type u8 = toMlir(ElementType::U8, n.builder.getContext());
  Value quantized = n.emit<graph::QuantizeLinearOp>(x, parameters[0], parameters[1], u8, int64_t(0),
                                                    int64_t(0), /*saturate=*/true);
  return n.yield({quantized, parameters[0], parameters[1]});
}

//===-- Layers on integers -----------------------------------------------------------------===//

/// Returns x - zeroPoint in i32. A null zero point is 0.
Value centred(NodeContext &n, Value x, Value zeroPoint) {
  Value wide = n.cast(x, ElementType::I32);
  return zeroPoint ? n.sub(wide, n.cast(zeroPoint, ElementType::I32)) : wide;
}

/// Reshapes a vector with one entry per row of a matrix to a column. Other
/// shapes broadcast unchanged.
Value perRow(NodeContext &n, Value value) {
  bool isVector = value && n.hasRank(value) && *n.rank(value) == 1;
  return isVector ? n.reshape(value, {-1, 1}) : value;
}

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

LogicalResult requireAll(NodeContext &n, ArrayRef<StringRef> names) {
  for (auto [i, name] : llvm::enumerate(names)) {
    if (failed(n.require(i, name))) {
      return failure();
    }
  }
  return success();
}

/// Returns the zero point in the form that byte_matmul expects ([byte_matmul.2]), or null if there
/// is none. `matrix` has rank `rank`; `place` is the dimension of a vector's entries, from the end.
Value zeroPointOf(NodeContext &n, Value matrix, Value zeroPoint, int64_t rank, int64_t place) {
  if (!zeroPoint) {
    return n.scalarLike(matrix, 0);
  }
  zeroPoint = scalarIfSingle(n, zeroPoint);
  int64_t own = n.hasRank(zeroPoint) ? *n.rank(zeroPoint) : -1;
  if (own == 0 || own == rank) {
    return zeroPoint;
  }
  Shape shape(rank, 1);
  shape[rank - place] = -1;
  return own == 1 ? n.reshape(zeroPoint, shape) : Value();
}

/// Returns the i32 product of two 8-bit matrices minus their zero points, which may be null. 8-bit
/// weights stay 8 bits. Operands that byte_matmul does not support are converted to i32 first.
Value multiplyBytes(NodeContext &n, Value a, Value aZero, Value b, Value bZero) {
  auto isByteMatrix = [&](Value value) {
    ElementType type = n.element(value);
    return (type == ElementType::I8 || type == ElementType::U8) && n.hasRank(value) &&
           *n.rank(value) >= 2;
  };
  if (isByteMatrix(a) && isByteMatrix(b)) {
    Value left = zeroPointOf(n, a, aZero, *n.rank(a), /*place=*/2);
    Value right = zeroPointOf(n, b, bZero, *n.rank(b), /*place=*/1);
    if (left && right) {
      return n.emit<graph::ByteMatMulOp>(a, b, left, right);
    }
  }
  return n.matmul(centred(n, a, perRow(n, scalarIfSingle(n, aZero))),
                  centred(n, b, scalarIfSingle(n, bZero)));
}

LogicalResult importMatMulInteger(NodeContext &n) {
  if (failed(requireAll(n, {"A", "B"}))) {
    return failure();
  }
  return n.yield(multiplyBytes(n, n.input(0), n.input(2), n.input(1), n.input(3)));
}

LogicalResult importQLinearMatMul(NodeContext &n) {
  if (failed(requireAll(n, {"a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point",
                            "y_scale", "y_zero_point"}))) {
    return failure();
  }
  Value sums = multiplyBytes(n, n.input(0), n.input(2), n.input(3), n.input(5));
  Value multiplier = multiplierOf(n, perRow(n, scalarIfSingle(n, n.input(1))),
                                  scalarIfSingle(n, n.input(4)), n.input(6));
  return n.yield(requantize(n, sums, multiplier, n.input(7)));
}

/// Imports the quantised Gemm of ONNX Runtime: (alpha * (A B + C)) in the scale a_scale * b_scale.
/// Without y_zero_point, the result is f32.
LogicalResult importQGemm(NodeContext &n) {
  if (failed(requireAll(n, {"A", "a_scale", "a_zero_point", "B", "b_scale", "b_zero_point"}))) {
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
  if (failed(requireAll(n, {"x", "w"}))) {
    return failure();
  }
  FailureOr<int64_t> rank = weightRank(n, n.input(1));
  if (failed(rank)) {
    return failure();
  }
  Value x = centred(n, n.input(0), scalarIfSingle(n, n.input(2)));
  Value w = centred(n, n.input(1), perChannel(n, scalarIfSingle(n, n.input(3)), *rank - 1));
  FailureOr<Value> sums = convolveIntegers(n, x, w, Value());
  return failed(sums) ? failure() : n.yield(*sums);
}

LogicalResult importQLinearConv(NodeContext &n) {
  if (failed(requireAll(n, {"x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point",
                            "y_scale", "y_zero_point"}))) {
    return failure();
  }
  FailureOr<int64_t> rank = weightRank(n, n.input(3));
  if (failed(rank)) {
    return failure();
  }
  Value x = centred(n, n.input(0), scalarIfSingle(n, n.input(2)));
  Value w = centred(n, n.input(3), perChannel(n, scalarIfSingle(n, n.input(5)), *rank - 1));
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
      {"DequantizeLinear", importDequantizeLinear, "", "com.microsoft"},
      {"DynamicQuantizeLinear", importDynamicQuantizeLinear},
      {"MatMulInteger", importMatMulInteger},
      {"QGemm", importQGemm, "", "com.microsoft"},
      {"QLinearConv", importQLinearConv},
      {"QLinearMatMul", importQLinearMatMul},
      {"QuantizeLinear", importQuantizeLinear},
      {"QuantizeLinear", importQuantizeLinear, "", "com.microsoft"},
  };
  return kRows;
}

} // namespace convoy::import
