// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches quantized values.

#include "Quantize/Quantized.h"
#include <cmath>

using namespace mlir;

namespace convoy::quantize {
namespace {

ElementType elementOf(Value value) {
  auto type = dyn_cast<TensorType>(value.getType());
  return type ? fromMlir(type.getElementType()) : ElementType::Undefined;
}

bool isNarrow(ElementType type, int64_t leastBits, int64_t mostBits) {
  return isInteger(type) && bitWidth(type) >= leastBits && bitWidth(type) <= mostBits;
}

/// Returns a constant scale and zero point of one element each.
std::optional<Scale> scalarScale(Value scale, Value zeroPoint) {
  std::optional<double> factor = constantScalar(scale);
  std::optional<double> zero = zeroPoint ? constantScalar(zeroPoint) : std::optional<double>(0);
  if (!factor || !zero || !(*factor > 0) || !std::isfinite(*factor)) {
    return std::nullopt;
  }
  return Scale{*factor, static_cast<int64_t>(*zero)};
}

} // namespace

std::optional<double> constantScalar(Value value) {
  std::optional<Tensor> tensor = graph::constantValue(value);
  return tensor && tensor->size() == 1 ? std::optional<double>(tensor->asDouble(0)) : std::nullopt;
}

std::optional<Quantized> quantizedValue(Value value) {
  auto op = value.getDefiningOp<graph::DequantizeLinearOp>();
  if (!op || op.getBlockSize() != 0 || !isNarrow(elementOf(op.getInput()), 8, 16) ||
      elementOf(value) != ElementType::F32) {
    return std::nullopt;
  }
  std::optional<Scale> scale = scalarScale(op.getScale(), op.getZeroPoint());
  return scale ? std::optional<Quantized>({op.getInput(), *scale}) : std::nullopt;
}

std::optional<QuantizedWeights> quantizedWeights(Value value) {
  auto op = value.getDefiningOp<graph::DequantizeLinearOp>();
  if (!op || op.getBlockSize() != 0 || !isNarrow(elementOf(op.getInput()), 2, 8) ||
      elementOf(value) != ElementType::F32 || !graph::constantValue(op.getInput())) {
    return std::nullopt;
  }
  std::optional<Tensor> scales = graph::constantValue(op.getScale());
  std::optional<Tensor> zeros =
      op.getZeroPoint() ? graph::constantValue(op.getZeroPoint()) : std::nullopt;
  if (!scales || (op.getZeroPoint() && !zeros) || scales->isEmpty()) {
    return std::nullopt;
  }
  QuantizedWeights weights{op.getInput(), {}, {}, static_cast<int64_t>(op.getAxis())};
  for (int64_t i = 0; i < scales->size(); ++i) {
    bool isUsable = scales->asDouble(i) >= 0 && std::isfinite(scales->asDouble(i));
    if (!isUsable) {
      return std::nullopt;
    }
    weights.scales.push_back(scales->asDouble(i));
    weights.zeroPoints.push_back(zeros ? zeros->asInt(i) : 0);
  }
  if (llvm::all_equal(weights.zeroPoints)) {
    weights.zeroPoints.truncate(1);
  }
  return weights;
}

std::optional<Scale> scaleOf(graph::QuantizeLinearOp op) {
  bool isPlain = op.getBlockSize() == 0 && isNarrow(elementOf(op.getResult()), 8, 16) &&
                 elementOf(op.getInput()) == ElementType::F32;
  return isPlain ? scalarScale(op.getScale(), op.getZeroPoint()) : std::nullopt;
}

std::optional<SmallVector<double>> constantReals(Value value) {
  auto op = value.getDefiningOp<graph::DequantizeLinearOp>();
  std::optional<Tensor> tensor = graph::constantValue(op ? op.getInput() : value);
  std::optional<Tensor> scales = op ? graph::constantValue(op.getScale()) : std::nullopt;
  std::optional<Tensor> zeros =
      op && op.getZeroPoint() ? graph::constantValue(op.getZeroPoint()) : std::nullopt;
  bool isKnown =
      tensor && (!op || (scales && op.getBlockSize() == 0 && (zeros || !op.getZeroPoint()) &&
                         (scales->size() == 1 || tensor->rank() == 1)));
  if (!isKnown) {
    return std::nullopt;
  }
  SmallVector<double> reals;
  for (int64_t i = 0; i < tensor->size(); ++i) {
    double real = tensor->asDouble(i);
    if (op) {
      int64_t entry = scales->size() == 1 ? 0 : i;
      real = (real - (zeros ? zeros->asDouble(entry) : 0)) * scales->asDouble(entry);
    }
    reals.push_back(real);
  }
  return reals;
}

std::optional<Multiplier> multiplierFor(double factor, int64_t bits) {
  constexpr int64_t kMostShift = 62;
  if (factor == 0) {
    return Multiplier{0, 1};
  }
  if (!(factor > 0) || !std::isfinite(factor)) {
    return std::nullopt;
  }
  int exponent = 0;
  double fraction = std::frexp(factor, &exponent); // in [0.5, 1)
  Multiplier m{std::llround(std::ldexp(fraction, static_cast<int>(bits))), bits - exponent};
  if (m.multiplier == int64_t(1) << bits) {
    m = {m.multiplier / 2, m.shift - 1};
  }
  if (m.shift > kMostShift) { // the factor is so small that fewer bits represent it
    int64_t excess = m.shift - kMostShift;
    m = {excess < 62 ? m.multiplier >> excess : 0, kMostShift};
  }
  return m.shift >= 1 ? std::optional<Multiplier>(m) : std::nullopt;
}

int64_t lowestOf(ElementType type) {
  return isSignedInteger(type) ? -(int64_t(1) << (bitWidth(type) - 1)) : 0;
}

int64_t highestOf(ElementType type) {
  return (int64_t(1) << (bitWidth(type) - (isSignedInteger(type) ? 1 : 0))) - 1;
}

int64_t bitsOf(Value value) { return bitWidth(elementOf(value)); }

int64_t reachOf(ElementType type, int64_t zeroPoint) {
  return std::max(zeroPoint - lowestOf(type), highestOf(type) - zeroPoint);
}

int64_t reachOf(const Quantized &x) { return reachOf(elementOf(x.value), x.scale.zeroPoint); }

} // namespace convoy::quantize
