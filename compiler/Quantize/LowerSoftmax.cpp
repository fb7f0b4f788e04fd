// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers softmax to integers. The difference to the maximum has 256 possible
// values, so the exponential is a table. Sums are i32 and the division is exact:
//
//     d = max(x) - x;  e = table[d];  y = round(e * N / (sum(e) * D)) + zeroPoint
//
// N / D is the reciprocal of the result's scale.

#include "Graph/Composite.h"
#include "Quantize/LowerLayers.h"
#include <cmath>

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::ReduceKind;
using convoy::graph::TypedBuilder;

namespace convoy::quantize {
namespace {

graph::BinaryOp binaryOf(Value value, BinaryKind kind) {
  auto op = value.getDefiningOp<graph::BinaryOp>();
  return op && op.getKind() == kind ? op : graph::BinaryOp();
}

/// Returns the single axis of a reduction of `input` that keeps its rank.
std::optional<int64_t> axisOf(Value value, ReduceKind kind, Value input) {
  auto op = value.getDefiningOp<graph::ReduceOp>();
  std::optional<Tensor> axes =
      op && op.getAxes() ? graph::constantValue(op.getAxes()) : std::nullopt;
  bool isIt = axes && op.getKind() == kind && op.getInput() == input && op.getKeepDims() &&
              axes->size() == 1;
  return isIt ? std::optional<int64_t>(axes->asInt(0)) : std::nullopt;
}

/// Matches exp(x - max(x)) / sum(exp(x - max(x))), the form in which the graph
/// stage writes softmax.
struct Softmax {
  Quantized input;
  int64_t axis;
};

std::optional<Softmax> matchSoftmax(Value value) {
  graph::BinaryOp quotient = binaryOf(value, BinaryKind::Div);
  auto exponential =
      quotient ? quotient.getLhs().getDefiningOp<graph::UnaryOp>() : graph::UnaryOp();
  if (!exponential || exponential.getKind() != graph::UnaryKind::Exp) {
    return std::nullopt;
  }
  std::optional<int64_t> axis = axisOf(quotient.getRhs(), ReduceKind::Sum, exponential.getResult());
  graph::BinaryOp shifted = binaryOf(exponential.getInput(), BinaryKind::Sub);
  if (!axis || !shifted) {
    return std::nullopt;
  }
  // CancelDetours may have moved the maximum before its own dequantize_linear.
  Value reals = shifted.getLhs();
  std::optional<Quantized> x = quantizedValue(reals);
  std::optional<Quantized> top = quantizedValue(shifted.getRhs());
  bool isMax =
      axisOf(shifted.getRhs(), ReduceKind::Max, reals) == axis ||
      (x && top && top->scale == x->scale && axisOf(top->value, ReduceKind::Max, x->value) == axis);
  bool isNarrow = x && cast<TensorType>(x->value.getType()).getElementTypeBitWidth() == 8;
  return isMax && isNarrow ? std::optional<Softmax>({*x, *axis}) : std::nullopt;
}

/// Returns round(exp(-d * scale) * 2^bits) for d = 0 ... 255.
Tensor exponentials(double scale, int64_t bits) {
  Tensor table(ElementType::I32, {256});
  for (int64_t d = 0; d < 256; ++d) {
    double value = std::exp(-static_cast<double>(d) * scale);
    table.setInt(d, std::llround(std::ldexp(value, static_cast<int>(bits))));
  }
  return table;
}

} // namespace

Value lowerSoftmax(Value value, IntegerBuilder &b, std::string &why) {
  std::optional<Softmax> softmax = matchSoftmax(value);
  if (!softmax) {
    return {};
  }
  Location loc = graph::stepOf({value.getLoc(), b.graph().loc}, "softmax");
  TypedBuilder g(b.graph().builder, loc);
  auto type = cast<RankedTensorType>(softmax->input.value.getType());
  int64_t axis = softmax->axis < 0 ? softmax->axis + type.getRank() : softmax->axis;
  int64_t count = type.getDimSize(axis);
  // The number of bits for which the sum stays below 2^30.
  int64_t bits = std::min<int64_t>(22, 30 - static_cast<int64_t>(llvm::Log2_64_Ceil(count)));
  if (bits < 12) {
    why = "the sums of exponentials would exceed 32 bits";
    return {};
  }
  double inverse = 1 / b.scale().scale;
  bool isWhole = std::abs(inverse - std::nearbyint(inverse)) < 1e-6 * inverse;
  int64_t denominator = isWhole ? 1 : 1 << 16;
  int64_t numerator = std::llround(inverse * static_cast<double>(denominator));
  if (numerator > int64_t(1) << 36) {
    why = "the scale of the result is below 2^-20";
    return {};
  }
  auto wide = [&](int64_t number) { return g.constant(Tensor::scalar(ElementType::I64, number)); };
  Value x = softmax->input.value;
  Value top = g.cast(g.reduce(ReduceKind::Max, x, {axis}), ElementType::I32);
  Value difference = g.sub(top, g.cast(x, ElementType::I32));
  Value table = g.constant(exponentials(softmax->input.scale.scale, bits));
  Value terms = g.emit<graph::GatherOp>(table, difference, int64_t(0));
  Value sum = g.cast(g.reduce(ReduceKind::Sum, terms, {axis}), ElementType::I64);
  Value scaled = g.mul(g.cast(terms, ElementType::I64), wide(2 * numerator));
  Value parts = g.mul(sum, wide(denominator));
  Value rounded = g.div(g.add(scaled, parts), g.mul(parts, wide(2)));
  Value placed = g.add(rounded, wide(b.scale().zeroPoint));
  Value clamped =
      g.binary(BinaryKind::Min, g.binary(BinaryKind::Max, placed, wide(b.low())), wide(b.high()));
  return g.cast(clamped, b.type());
}

} // namespace convoy::quantize
