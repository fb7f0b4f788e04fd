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

/// Returns the number by which unsigned bytes exceed the signed bytes that a device stores.
static int64_t storedOffset(ElementType type) {
  return lowestOf(type) + (int64_t(1) << (bitWidth(type) - 1));
}

static ElementType elementOf(const Quantized &x) {
  return fromMlir(cast<TensorType>(x.value.getType()).getElementType());
}

/// Returns whether an average is rounded by axis. Padding is the real number 0, so a padded average
/// requires a zero point that is stored as 0.
bool IntegerBuilder::roundsByAxis(const Quantized &input, ArrayRef<int64_t> kernel,
                                  bool isPadded) const {
  bool fits =
      llvm::all_of(kernel, [&](int64_t size) { return size <= arithmetic.axisAverageLimit; });
  return fits && kernel.size() == 2 && bitsOf(input.value) == 8 &&
         (!isPadded || input.scale.zeroPoint == storedOffset(elementOf(input)));
}

int64_t IntegerBuilder::averageOrigin(const Quantized &input, ArrayRef<int64_t> kernel,
                                      bool isPadded) const {
  return roundsByAxis(input, kernel, isPadded) ? storedOffset(elementOf(input))
                                               : input.scale.zeroPoint;
}

Value IntegerBuilder::averageByAxis(Value sums, const Quantized &input, ArrayRef<int64_t> kernel,
                                    std::string &why) {
  ElementType type = elementOf(input);
  Value mean = sums;
  for (auto [i, size] : llvm::enumerate(llvm::reverse(kernel))) {
    bool isLast = i + 1 == kernel.size();
    ElementType to = isLast ? type : ElementType::I32;
    constexpr int64_t kShift = 16;
    mean = b.emit<graph::RequantizeOp>(
        mean, b.constant(intTensor({(int64_t(1) << kShift) / size})),
        b.constant(intTensor({kShift})), int64_t(1), toMlir(to, builder.getContext()), int64_t(0),
        isLast ? storedOffset(type) : 0, lowestOf(to), highestOf(to), arithmetic.rounding);
  }
  bool isDone = type == outType && input.scale == outScale && lowBound == lowestOf(outType) &&
                highBound == highestOf(outType);
  return isDone ? mean : requantize(mean, {input.scale.scale}, 1, input.scale.zeroPoint, why);
}

Value IntegerBuilder::average(Value sums, const Quantized &input, ArrayRef<int64_t> kernel,
                              bool isPadded, std::string &why) {
  if (roundsByAxis(input, kernel, isPadded)) {
    return averageByAxis(sums, input, kernel, why);
  }
  auto count = static_cast<double>(*elementCount(kernel));
  return requantize(sums, {input.scale.scale / count}, 1, 0, why);
}

Value IntegerBuilder::emitAdd(const Quantized &lhs, const Quantized &rhs, int64_t lhsMultiplier,
                              int64_t rhsMultiplier, int64_t shift) {
  return b.emit<graph::IntegerAddOp>(lhs.value, rhs.value, toMlir(outType, builder.getContext()),
                                     lhs.scale.zeroPoint, rhs.scale.zeroPoint, lhsMultiplier,
                                     rhsMultiplier, shift, outScale.zeroPoint, lowBound, highBound,
                                     arithmetic.rounding);
}

Value IntegerBuilder::add(const Quantized &lhs, const Quantized &rhs, int64_t sign,
                          std::string &why) {
  // 21 bits keep the weighted sum of two 8-bit operands within 32 bits
  // ([integer_add.2]). The larger multiplier uses all 21 bits. Sums of 16-bit
  // operands have 64 bits, so their multipliers use 30 bits.
  bool isWide = bitsOf(lhs.value) > 8 || bitsOf(rhs.value) > 8;
  if (arithmetic.shiftsAddend && !isWide) {
    return addShifted(lhs, rhs, sign, why);
  }
  const int64_t bits = isWide ? 30 : 21;
  const int64_t mostShift = isWide ? 60 : 30;
  double left = lhs.scale.scale / outScale.scale;
  double right = rhs.scale.scale / outScale.scale;
  std::optional<Multiplier> larger =
      multiplierFor(std::max(left, right), std::min(bits, arithmetic.multiplierBits));
  if (!larger) {
    why = "the scales differ by a factor of " + std::to_string(std::max(left, right)) +
          ", which exceeds the range of a multiplier";
    return {};
  }
  int64_t shift = std::min(larger->shift, mostShift);
  auto weight = [&](double factor) {
    return std::llround(std::ldexp(factor, static_cast<int>(shift)));
  };
  return emitAdd(lhs, rhs, weight(left), sign * weight(right), shift);
}

namespace {

/// source * factor + addend * 2^shift + bias, then times multiplier / 2^rescaleShift.
struct ShiftedSum {
  int64_t factor, shift, bias;
  Multiplier rescale;
};

/// Returns the sum whose terms have these scales relative to the result, with `zero` as the real
/// zero of the result, or nullopt if no factor of `bits` bits gives sums of 32 bits.
std::optional<ShiftedSum> shiftedSum(double source, double addend, int64_t zero, int64_t bits) {
  // A larger shift gives a more precise factor; smaller ones follow until all numbers fit.
  constexpr int64_t kMostShift = 21;
  for (int64_t shift = kMostShift; shift >= 0; --shift) {
    double unit = std::ldexp(addend, static_cast<int>(-shift));
    double factor = std::round(source / unit);
    std::optional<Multiplier> rescale = multiplierFor(unit, bits);
    if (!rescale || rescale->multiplier == 0 || factor < 1 ||
        factor >= std::ldexp(1.0, static_cast<int>(bits))) {
      continue;
    }
    double step =
        std::ldexp(static_cast<double>(rescale->multiplier), static_cast<int>(-rescale->shift));
    double bias = std::round(static_cast<double>(zero) / step);
    double most = 255 * (factor + std::ldexp(1.0, static_cast<int>(shift))) + std::abs(bias);
    if (most < INT32_MAX) {
      return ShiftedSum{static_cast<int64_t>(factor), shift, static_cast<int64_t>(bias), *rescale};
    }
  }
  return std::nullopt;
}

/// Returns whether one positive number is the other one times a power of two, up to 2^6.
bool isSmallPower(double left, double right) {
  int exponent = 0;
  double ratio = std::max(left, right) / std::min(left, right);
  return std::frexp(ratio, &exponent) == 0.5 && exponent <= 7;
}

} // namespace

/// A device that shifts one operand multiplies the other one. The zero point of the result is a
/// part of the sum, except the offset of stored bytes.
Value IntegerBuilder::addShifted(const Quantized &lhs, const Quantized &rhs, int64_t sign,
                                 std::string &why) {
  double left = lhs.scale.scale / outScale.scale;
  double right = rhs.scale.scale / outScale.scale;
  if (sign > 0 && isSmallPower(left, right)) {
    constexpr int64_t kBits = 14; // the larger multiplier then has at most 21 bits
    if (std::optional<Multiplier> common = multiplierFor(std::min(left, right), kBits)) {
      int64_t shift = std::min<int64_t>(common->shift, 30);
      auto weight = [&](double factor) {
        return std::llround(std::ldexp(std::min(left, right), static_cast<int>(shift))) *
               std::llround(factor / std::min(left, right));
      };
      return emitAdd(lhs, rhs, weight(left), weight(right), shift);
    }
  }
  int64_t offset = storedOffset(outType);
  int64_t zero = outScale.zeroPoint - offset;
  // The operand that is subtracted must be the one that is multiplied.
  bool isRhsShifted = sign > 0;
  std::optional<ShiftedSum> sum =
      isRhsShifted ? shiftedSum(left, right, zero, arithmetic.multiplierBits) : std::nullopt;
  if (!sum) {
    isRhsShifted = false;
    sum = shiftedSum(right, left, zero, arithmetic.multiplierBits);
  }
  if (!sum) {
    why = "the scales of operands and result differ by " + std::to_string(left) + " and " +
          std::to_string(right) + ", which exceeds the range of a multiplier";
    return {};
  }
  // integer_add shifts by at least one bit.
  int64_t factor = 2 * sum->factor;
  int64_t power = int64_t(2) << sum->shift;
  Type i32 = toMlir(ElementType::I32, builder.getContext());
  Value sums = b.emit<graph::IntegerAddOp>(
      lhs.value, rhs.value, i32, lhs.scale.zeroPoint, rhs.scale.zeroPoint,
      isRhsShifted ? factor : power, isRhsShifted ? power : sign * factor, /*shift=*/int64_t(1),
      sum->bias, lowestOf(ElementType::I32), highestOf(ElementType::I32), arithmetic.rounding);
  return b.emit<graph::RequantizeOp>(sums, b.constant(intTensor({sum->rescale.multiplier})),
                                     b.constant(intTensor({sum->rescale.shift})), int64_t(0),
                                     toMlir(outType, builder.getContext()), int64_t(0), offset,
                                     lowBound, highBound, arithmetic.rounding);
}

} // namespace convoy::quantize
