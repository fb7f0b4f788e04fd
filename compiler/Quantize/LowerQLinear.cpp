// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers QLinearConv and QLinearMatMul. Import writes QLinearConv as an i32 layer of
// operands minus their zero points and QLinearMatMul as a byte_matmul, followed by a
// floating-point factor and a quantize_linear of scale 1.
//
//     %0 = graph.conv (i32(%x) - zx), %w32, %bias        // %w32 constant
//     %0 = graph.byte_matmul %x, %w, %zx, %zw            // or this; all but %x constant
//     %1 = graph.binary mul f32(%0), %factor
//     %y = graph.quantize_linear %1, 1.0, %zy

#include "Quantize/LowerLayers.h"
#include "Quantize/StoredWeights.h"

using namespace mlir;

namespace convoy::quantize {
namespace {

/// Matches i32(x) - zeroPoint or i32(x) for 8-bit x.
std::optional<Quantized> centeredOperand(Value value) {
  int64_t zero = 0;
  auto difference = value.getDefiningOp<graph::BinaryOp>();
  if (difference) {
    std::optional<double> subtracted = constantScalar(difference.getRhs());
    if (difference.getKind() != graph::BinaryKind::Sub || !subtracted) {
      return std::nullopt;
    }
    zero = static_cast<int64_t>(*subtracted);
    value = difference.getLhs();
  }
  auto cast = value.getDefiningOp<graph::CastOp>();
  auto from = cast ? dyn_cast<TensorType>(cast.getInput().getType()) : TensorType();
  bool isNarrow = from && isInteger(fromMlir(from.getElementType())) &&
                  bitWidth(fromMlir(from.getElementType())) == 8;
  return isNarrow ? std::optional<Quantized>({cast.getInput(), {1, zero}}) : std::nullopt;
}

/// Returns the constant right side of a byte_matmul minus its zero points in i32.
std::optional<Tensor> centeredWeights(graph::ByteMatMulOp op) {
  std::optional<Tensor> weights = graph::constantValue(op.getRhs());
  std::optional<Tensor> zero = graph::constantValue(op.getRhsZeroPoint());
  bool isMatrix = weights && zero && weights->rank() == 2 && !zero->isEmpty();
  if (!isMatrix || (zero->size() != 1 && zero->size() != weights->dim(1))) {
    return std::nullopt;
  }
  Tensor wide(ElementType::I32, weights->shape());
  for (int64_t i = 0; i < wide.size(); ++i) {
    wide.setInt(i, weights->asInt(i) - zero->asInt(zero->size() == 1 ? 0 : i % zero->size()));
  }
  return wide;
}

/// Returns the i32 layer whose only reader is a conversion to f32.
Operation *integerLayer(Value value) {
  auto cast = value.getDefiningOp<graph::CastOp>();
  Operation *layer = cast ? cast.getInput().getDefiningOp() : nullptr;
  bool isLayer = layer && (graph::isLinearLayer(layer) || isa<graph::ByteMatMulOp>(layer));
  return isLayer ? layer : nullptr;
}

std::optional<Quantized> inputOf(Operation *layer) {
  auto bytes = dyn_cast<graph::ByteMatMulOp>(layer);
  if (!bytes) {
    return centeredOperand(layer->getOperand(0));
  }
  std::optional<double> zero = constantScalar(bytes.getLhsZeroPoint());
  return zero ? std::optional<Quantized>({bytes.getLhs(), {1, static_cast<int64_t>(*zero)}})
              : std::nullopt;
}

/// Returns 9-bit weights, whose zero point was subtracted, as 8-bit weights.
std::optional<QuantizedWeights> weightsOf(graph::TypedBuilder &b, Operation *layer) {
  auto bytes = dyn_cast<graph::ByteMatMulOp>(layer);
  std::optional<Tensor> wide =
      bytes ? centeredWeights(bytes) : graph::constantValue(layer->getOperand(1));
  if (!wide || wide->type() != ElementType::I32 || wide->isEmpty()) {
    return std::nullopt;
  }
  return storedDifferences(b, *wide, isa<graph::ConvOp>(layer) ? 0 : wide->rank() - 1);
}

/// Returns the bias and the zero points per channel of a layer ([integer_conv.4]).
SmallVector<Value> vectorsOf(graph::TypedBuilder &b, Value bias, const QuantizedWeights &weights) {
  SmallVector<Value> vectors(bias ? 1 : 0, bias);
  if (weights.zeroPoints.size() > 1) {
    Tensor zeroPoints = zeroPointVector(weights);
    if (!bias) {
      vectors.push_back(b.constant(Tensor(ElementType::I32, zeroPoints.shape())));
    }
    vectors.push_back(b.constant(zeroPoints));
  }
  return vectors;
}

} // namespace

Value lowerQLinear(Value value, IntegerBuilder &b, std::string &why) {
  auto product = value.getDefiningOp<graph::BinaryOp>();
  bool isIt = product && product.getKind() == graph::BinaryKind::Mul && b.scale().scale == 1;
  Operation *layer = isIt ? integerLayer(product.getLhs()) : nullptr;
  std::optional<Tensor> factors =
      layer ? graph::constantValue(product.getRhs()) : std::optional<Tensor>();
  std::optional<Quantized> x = factors ? inputOf(layer) : std::nullopt;
  std::optional<QuantizedWeights> w = x ? weightsOf(b.graph(), layer) : std::nullopt;
  if (!w) {
    why = layer ? "the scales or weights are not constant, or the weights exceed 9 bits" : why;
    return {};
  }
  auto channels = cast<RankedTensorType>(layer->getResult(0).getType());
  auto conv = dyn_cast<graph::ConvOp>(layer);
  int64_t axis = conv ? 1 : channels.getRank() - 1;
  if (factors->size() != 1 && factors->size() != channels.getDimSize(axis)) {
    why = "the scales vary along a dimension other than the channels";
    return {};
  }
  SmallVector<double> steps;
  for (int64_t i = 0; i < factors->size(); ++i) {
    steps.push_back(factors->asDouble(i));
  }
  graph::TypedBuilder &g = b.graph();
  SmallVector<Value> vectors = vectorsOf(g, conv ? conv.getBias() : Value(), *w);
  int64_t zeroPoint = w->zeroPoints.size() == 1 ? w->zeroPoints.front() : 0;
  Value sums = conv ? g.emit<graph::IntegerConvOp>(x->value, w->value, vectors, x->scale.zeroPoint,
                                                   zeroPoint, conv.getStrides(), conv.getPads(),
                                                   conv.getDilations(),
                                                   static_cast<int64_t>(conv.getGroups()))
                    : g.emit<graph::IntegerMatMulOp>(x->value, w->value, vectors,
                                                     x->scale.zeroPoint, zeroPoint);
  return b.requantize(sums, steps, axis, 0, why);
}

} // namespace convoy::quantize
