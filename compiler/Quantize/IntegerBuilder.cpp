// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales become multipliers here.

#include "Quantize/IntegerBuilder.h"
#include <cmath>

using namespace mlir;

namespace convoy::quantize {

IntegerBuilder::IntegerBuilder(graph::QuantizeLinearOp op, Scale scale, Bounds bounds,
                               Rescaling rescaling)
    : builder(op), b(builder, op.getLoc()), outScale(scale),
      outType(fromMlir(cast<TensorType>(op.getType()).getElementType())), rescaling(rescaling),
      lowBound(quantized(bounds.low)), highBound(quantized(bounds.high)) {}

/// As quantize_linear does it.
int64_t IntegerBuilder::quantized(double real) const {
  double value = std::nearbyint(real / outScale.scale) + static_cast<double>(outScale.zeroPoint);
  auto low = static_cast<double>(lowestOf(outType));
  auto high = static_cast<double>(highestOf(outType));
  return static_cast<int64_t>(std::clamp(value, low, high));
}

static Tensor intTensor(ArrayRef<int64_t> values) {
  bool isScalar = values.size() == 1;
  Tensor tensor(ElementType::I32, isScalar ? Shape() : Shape{static_cast<int64_t>(values.size())});
  for (auto [i, value] : llvm::enumerate(values)) {
    tensor.setInt(static_cast<int64_t>(i), value);
  }
  return tensor;
}

Value IntegerBuilder::requantize(Value sums, ArrayRef<double> factors, int64_t axis,
                                 int64_t inputZeroPoint, std::string &why) {
  SmallVector<int64_t> multipliers;
  SmallVector<int64_t> shifts;
  for (double factor : factors) {
    std::optional<Multiplier> m = multiplierFor(factor / outScale.scale, rescaling.multiplierBits);
    if (!m) {
      why = "its scales differ by a factor of " + std::to_string(factor / outScale.scale) +
            ", more than a multiplier holds";
      return {};
    }
    multipliers.push_back(m->multiplier);
    shifts.push_back(m->shift);
  }
  auto isFirst = [](ArrayRef<int64_t> values) {
    return llvm::all_of(values, [&](int64_t value) { return value == values.front(); });
  };
  if (isFirst(multipliers) && isFirst(shifts)) {
    multipliers.resize(1);
    shifts.resize(1);
  }
  return b.emit<graph::RequantizeOp>(sums, b.constant(intTensor(multipliers)),
                                     b.constant(intTensor(shifts)), axis,
                                     toMlir(outType, builder.getContext()), inputZeroPoint,
                                     outScale.zeroPoint, lowBound, highBound, rescaling.rounding);
}

Value IntegerBuilder::add(const Quantized &lhs, const Quantized &rhs, int64_t sign,
                          std::string &why) {
  // 21 bits keep the weighted sum of two 8-bit operands in 32 ([integer_add.2]); the
  // larger multiplier fills them, the other follows.
  constexpr int64_t kBits = 21;
  constexpr int64_t kMostShift = 30;
  double left = lhs.scale.scale / outScale.scale;
  double right = rhs.scale.scale / outScale.scale;
  std::optional<Multiplier> larger =
      multiplierFor(std::max(left, right), std::min(kBits, rescaling.multiplierBits));
  if (!larger) {
    why = "its scales differ by a factor of " + std::to_string(std::max(left, right)) +
          ", more than a multiplier holds";
    return {};
  }
  int64_t shift = std::min(larger->shift, kMostShift);
  auto weight = [&](double factor) {
    return std::llround(std::ldexp(factor, static_cast<int>(shift)));
  };
  return b.emit<graph::IntegerAddOp>(lhs.value, rhs.value, toMlir(outType, builder.getContext()),
                                     lhs.scale.zeroPoint, rhs.scale.zeroPoint, weight(left),
                                     sign * weight(right), shift, outScale.zeroPoint, lowBound,
                                     highBound, rescaling.rounding);
}

} // namespace convoy::quantize
