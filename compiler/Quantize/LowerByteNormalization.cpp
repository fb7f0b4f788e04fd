// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers LRN over channels to tables of bytes, for targets that have them instead of the tables of
// integer_lrn:
//
//     squares of x -> sums over channels (a 1x1 convolution with ones) -> bytes -> factors, times x

#include "Quantize/ByteTables.h"
#include "Quantize/LowerLayers.h"

using namespace mlir;

namespace convoy::quantize {
namespace {

/// Returns 1x1 weights of ones for the channels of each window, which is placed as in lrn.
Tensor windowWeights(int64_t channels, int64_t size) {
  Tensor weight(ElementType::I8, {channels, channels, 1, 1});
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = std::max<int64_t>(c - (size - 1) / 2, 0);
         i <= std::min(c + size / 2, channels - 1); ++i) {
      weight.setInt(c * channels + i, 1);
    }
  }
  return weight;
}

/// Returns the tables as graph.lookup reads them: the squares by signed byte, the factors by byte.
std::pair<Tensor, Tensor> lookupTables(const ByteTables &tables) {
  Tensor squares(ElementType::U8, {256});
  Tensor factors(ElementType::U8, {256});
  for (int64_t i = 0; i < squares.size(); ++i) {
    squares.setInt(i, tables.squares[static_cast<size_t>(std::abs(i - 128))]);
    factors.setInt(i, tables.factors[static_cast<size_t>(i)]);
  }
  return {squares, factors};
}

Value emitNormalization(Value x, int64_t size, const ByteTables &tables, IntegerBuilder &b) {
  graph::TypedBuilder &g = b.graph();
  MLIRContext *context = g.builder.getContext();
  auto [squares, factors] = lookupTables(tables);
  auto requantize = [&](Value sums, const Multiplier &m, ElementType to, int64_t low,
                        int64_t high) -> Value {
    auto scalar = [&](int64_t number) {
      return g.constant(Tensor::scalar(ElementType::I32, static_cast<double>(number)));
    };
    return g.emit<graph::RequantizeOp>(sums, scalar(m.multiplier), scalar(m.shift), int64_t(0),
                                       toMlir(to, context), int64_t(0), int64_t(0), low, high,
                                       b.target().rounding);
  };
  int64_t channels = cast<RankedTensorType>(x.getType()).getDimSize(1);
  const int64_t ones[] = {1, 1};
  const int64_t pads[] = {0, 0, 0, 0};
  Value square = g.emit<graph::LookupOp>(x, g.constant(squares));
  Value sum = g.emit<graph::IntegerConvOp>(
      square, g.constant(windowWeights(channels, size)), ValueRange(), int64_t(0), int64_t(0),
      ArrayRef<int64_t>(ones), ArrayRef<int64_t>(pads), ArrayRef<int64_t>(ones), int64_t(1));
  Value index = requantize(sum, tables.sum, ElementType::U8, 0, 255);
  Value factor = g.emit<graph::LookupOp>(index, g.constant(factors));
  Value product = g.emit<graph::IntegerMulOp>(x, factor, int64_t(0), int64_t(0));
  return requantize(product, tables.product, b.type(), b.low(), b.high());
}

} // namespace

Value lowerByteNormalization(Value value, IntegerBuilder &b, std::string &why) {
  auto op = value.getDefiningOp<graph::LRNOp>();
  std::optional<Quantized> x = op ? quantizedValue(op.getInput()) : std::nullopt;
  if (!x || !b.target().hasByteTables) {
    return {};
  }
  auto type = cast<RankedTensorType>(x->value.getType());
  NormalizationCurve curve = {op.getAlpha().convertToDouble() / static_cast<double>(op.getSize()),
                              op.getBeta().convertToDouble(), op.getBias().convertToDouble()};
  bool isFalling = curve.bias > 0 && curve.perSquare > 0 && curve.beta >= 0;
  bool hasSignedBytes = fromMlir(type.getElementType()) == ElementType::I8 &&
                        b.type() == ElementType::I8 && x->scale.zeroPoint == 0 &&
                        b.scale().zeroPoint == 0;
  if (!isFalling || !hasSignedBytes || type.getRank() != 4) {
    why = "tables of bytes require images of int8 without zero points, a positive bias and alpha, "
          "and a non-negative beta";
    return {};
  }
  constexpr double kSteps = 128;
  auto size = static_cast<int64_t>(op.getSize());
  std::optional<ByteTables> tables =
      byteTables(rangesOf(curve, size, kSteps * x->scale.scale, kSteps * b.scale().scale), curve);
  if (!tables) {
    why = "the ratio of the scales exceeds the range of a multiplier";
    return {};
  }
  return emitNormalization(x->value, size, *tables, b);
}

} // namespace convoy::quantize
