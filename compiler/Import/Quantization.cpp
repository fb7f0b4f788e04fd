// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports quantisation ops. QuantizeLinear and DequantizeLinear have their own
// graph ops. Integer layers become casts to i32, a subtraction of zero points
// and the i32 layer. QLinear layers additionally requantize in floating point,
// as ONNX specifies.

#include "Import/OpTable.h"
#include "Import/WindowAttributes.h"

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::ReduceKind;

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
  Value zero = n.scalarLike(x, 0);
  auto extreme = [&](ReduceKind kind, BinaryKind withZero) {
    Value found = n.emit<graph::ReduceOp>(kind, x, Value(), /*keepDims=*/false,
                                          /*noopWithEmptyAxes=*/false);
    return n.binary(withZero, found, zero);
  };
  Value low = extreme(ReduceKind::Min, BinaryKind::Min);
  Value high = extreme(ReduceKind::Max, BinaryKind::Max);
  Value range = n.sub(high, low);
  // If all elements are 0, any non-zero scale is valid.
  Value isFlat = n.binary(BinaryKind::Equal, range, zero);
  Value scale = n.select(isFlat, n.scalarLike(x, 1), n.div(range, n.scalarLike(x, 255)));
  Type u8 = toMlir(ElementType::U8, n.builder.getContext());
  auto quantize = [&](Value value, Value by, Value zeroPoint) {
    return n.emit<graph::QuantizeLinearOp>(value, by, zeroPoint, u8, int64_t(0), int64_t(0),
                                           /*saturate=*/true);
  };
  Value zeroPoint = quantize(n.sub(zero, low), scale, Value());
  return n.yield({quantize(x, scale, zeroPoint), scale, zeroPoint});
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

LogicalResult importMatMulInteger(NodeContext &n) {
  if (failed(requireAll(n, {"A", "B"}))) {
    return failure();
  }
  Value a = centred(n, n.input(0), perRow(n, scalarIfSingle(n, n.input(2))));
  Value b = centred(n, n.input(1), scalarIfSingle(n, n.input(3)));
  return n.yield(n.matmul(a, b));
}

LogicalResult importQLinearMatMul(NodeContext &n) {
  if (failed(requireAll(n, {"a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point",
                            "y_scale", "y_zero_point"}))) {
    return failure();
  }
  Value a = centred(n, n.input(0), perRow(n, scalarIfSingle(n, n.input(2))));
  Value b = centred(n, n.input(3), scalarIfSingle(n, n.input(5)));
  Value multiplier = multiplierOf(n, perRow(n, scalarIfSingle(n, n.input(1))),
                                  scalarIfSingle(n, n.input(4)), n.input(6));
  return n.yield(requantize(n, n.matmul(a, b), multiplier, n.input(7)));
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
      {"DynamicQuantizeLinear", importDynamicQuantizeLinear},
      {"MatMulInteger", importMatMulInteger},
      {"QLinearConv", importQLinearConv},
      {"QLinearMatMul", importQLinearMatMul},
      {"QuantizeLinear", importQuantizeLinear},
  };
  return kRows;
}

} // namespace convoy::import
