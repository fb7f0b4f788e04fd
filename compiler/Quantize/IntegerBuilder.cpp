// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts scales to integer multipliers and builds integer ops.

#include "Quantize/IntegerBuilder.h"
#include <cmath>

using namespace mlir;

namespace convoy::quantize {

IntegerBuilder::IntegerBuilder(graph::QuantizeLinearOp op, Scale scale, Bounds bounds,
                               const Arithmetic &arithmetic, FittingCost &cost)
    : builder(op), b(builder, op.getLoc()), outScale(scale),
      outType(fromMlir(cast<TensorType>(op.getType()).getElementType())),
      // No device stores 16-bit results, so these layers use the precise arithmetic of the CPU.
      arithmetic(bitWidth(outType) > 8 ? Arithmetic() : arithmetic), cost(cost),
      lowBound(quantized(bounds.low)), highBound(quantized(bounds.high)) {}

/// Rounds like quantize_linear.
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

/// Returns one multiplier per factor, or nullopt if a factor is out of range.
static std::optional<SmallVector<Multiplier>> multipliersFor(ArrayRef<double> factors, int64_t bits,
                                                             const Arithmetic &arithmetic) {
  SmallVector<Multiplier> result;
  for (double factor : factors) {
    std::optional<Multiplier> m = multiplierFor(factor, bits);
    if (!m) {
      return std::nullopt;
    }
    result.push_back(*m);
  }
  if (arithmetic.hasOneShift) {
    // The largest factor uses all bits; smaller factors lose precision.
    auto finer = [](const Multiplier &a, const Multiplier &b) { return a.shift < b.shift; };
    int64_t shift = std::min_element(result.begin(), result.end(), finer)->shift;
    for (auto [m, factor] : llvm::zip(result, factors)) {
      int64_t most = (int64_t(1) << bits) - 1;
      int64_t nearest = std::llround(std::ldexp(factor, static_cast<int>(shift)));
      m = {std::min(nearest, most), shift};
    }
  }
  return result;
}

Value IntegerBuilder::requantize(Value sums, ArrayRef<double> factors, int64_t axis,
                                 int64_t inputZeroPoint, std::string &why, int64_t sumBits) {
  SmallVector<double> ratios;
  for (double factor : factors) {
    ratios.push_back(factor / outScale.scale);
  }
  constexpr int64_t kProductBits = 62; // leaves room for the rounding
  int64_t bits = std::min(arithmetic.multiplierBits, kProductBits - sumBits);
  std::optional<SmallVector<Multiplier>> found = multipliersFor(ratios, bits, arithmetic);
  if (!found) {
    why = "the scales differ by a factor of " +
          std::to_string(*std::max_element(ratios.begin(), ratios.end())) +
          ", which exceeds the range of a multiplier";
    return {};
  }
  SmallVector<int64_t> multipliers;
  SmallVector<int64_t> shifts;
  for (const Multiplier &m : *found) {
    multipliers.push_back(m.multiplier);
    shifts.push_back(m.shift);
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
                                     outScale.zeroPoint, lowBound, highBound, arithmetic.rounding);
}

Value IntegerBuilder::averageByAxis(Value sums, const Quantized &input, ArrayRef<int64_t> kernel,
                                    std::string &why) {
  ElementType type = fromMlir(cast<TensorType>(input.value.getType()).getElementType());
  Value mean = sums;
  for (auto [i, size] : llvm::enumerate(llvm::reverse(kernel))) {
    bool isLast = i + 1 == kernel.size();
    ElementType to = isLast ? type : ElementType::I32;
    constexpr int64_t kShift = 16;
    mean = b.emit<graph::RequantizeOp>(
        mean, b.constant(intTensor({(int64_t(1) << kShift) / size})),
        b.constant(intTensor({kShift})), int64_t(1), toMlir(to, builder.getContext()), int64_t(0),
        isLast ? input.scale.zeroPoint : 0, lowestOf(to), highestOf(to), arithmetic.rounding);
  }
  bool isDone = type == outType && input.scale == outScale && lowBound == lowestOf(outType) &&
                highBound == highestOf(outType);
  return isDone ? mean : requantize(mean, {input.scale.scale}, 1, input.scale.zeroPoint, why);
}

Value IntegerBuilder::average(Value sums, const Quantized &input, ArrayRef<int64_t> kernel,
                              std::string &why) {
  if (arithmetic.averagesByAxis) {
    return averageByAxis(sums, input, kernel, why);
  }
  auto count = static_cast<double>(*elementCount(kernel));
  return requantize(sums, {input.scale.scale / count}, 1, 0, why);
}

/// Returns the factors of `bits` bits whose ratio is closest to the ratio of two
/// positive numbers.
static std::pair<int64_t, int64_t> factorsFor(double left, double right, int64_t bits) {
  double ratio = std::min(left, right) / std::max(left, right);
  int64_t larger = 1;
  int64_t smaller = 1;
  double best = HUGE_VAL;
  for (int64_t i = 1; i < int64_t(1) << bits; ++i) {
    int64_t nearest = std::max<int64_t>(std::llround(static_cast<double>(i) * ratio), 1);
    double error = std::abs(static_cast<double>(nearest) / static_cast<double>(i) - ratio);
    if (error < best) {
      best = error;
      larger = i;
      smaller = nearest;
    }
  }
  return left >= right ? std::pair(larger, smaller) : std::pair(smaller, larger);
}

Value IntegerBuilder::add(const Quantized &lhs, const Quantized &rhs, int64_t sign,
                          std::string &why) {
  // 21 bits keep the weighted sum of two 8-bit operands within 32 bits
  // ([integer_add.2]). The larger multiplier uses all 21 bits. Sums of 16-bit
  // operands have 64 bits, so their multipliers use 30 bits.
  bool isWide = bitsOf(lhs.value) > 8 || bitsOf(rhs.value) > 8;
  const int64_t bits = isWide ? 30 : 21;
  const int64_t mostShift = isWide ? 60 : 30;
  double left = lhs.scale.scale / outScale.scale;
  double right = rhs.scale.scale / outScale.scale;
  bool hasFactors = arithmetic.addFactorBits > 0;
  std::pair<int64_t, int64_t> factors(1, 1);
  if (hasFactors) {
    factors = factorsFor(left, right, arithmetic.addFactorBits);
  }
  double most = std::max(left / static_cast<double>(factors.first),
                         right / static_cast<double>(factors.second));
  std::optional<Multiplier> larger =
      multiplierFor(most, std::min(bits - arithmetic.addFactorBits, arithmetic.multiplierBits));
  if (!larger) {
    why = "the scales differ by a factor of " + std::to_string(most) +
          ", which exceeds the range of a multiplier";
    return {};
  }
  int64_t shift = std::min(larger->shift, mostShift);
  auto weight = [&](double factor) {
    return std::llround(std::ldexp(factor, static_cast<int>(shift)));
  };
  int64_t common = weight(most);
  int64_t leftWeight = hasFactors ? common * factors.first : weight(left);
  int64_t rightWeight = hasFactors ? common * factors.second : weight(right);
  return b.emit<graph::IntegerAddOp>(lhs.value, rhs.value, toMlir(outType, builder.getContext()),
                                     lhs.scale.zeroPoint, rhs.scale.zeroPoint, leftWeight,
                                     sign * rightWeight, shift, outScale.zeroPoint, lowBound,
                                     highBound, arithmetic.rounding);
}

} // namespace convoy::quantize
