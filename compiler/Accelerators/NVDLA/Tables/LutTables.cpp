// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fits functions to the two tables. Both are used with intervals of one width, which is
// a power of two: LO has 256 of them, LE 64. The exponential form of LE is left alone,
// since an octave per interval is off by percents wherever these functions bend.
//
//   normalisation   LO  |-|-|-|-|-|-|-|-|             or  LO  |----|----|----|----|
//                   LE                  |---|---|         LE  |-|-|-|
//                       fine, then a coarse tail          fine where it bends most
//
//   sigmoid, tanh   LO        |-|-|-|-|-|
//                   LE  |----|----|----|----|             for the tails

#include "Accelerators/NVDLA/Tables/LutTables.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Accelerators/NVDLA/Simulator/Lut.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>

namespace convoy::nvdla {
namespace {

constexpr int kLeIntervals = 64, kLoIntervals = 256;

using Function = llvm::function_ref<double(double)>;

/// How numbers stand in a table: as halves, or as integers of which `one` are 1.
struct Format {
  bool isHalf = false;
  double one = 1;
};

/// Intervals of 2^exponent from `start` on.
struct Range {
  double start = 0;
  int exponent = 0;

  double at(int i) const { return start + std::ldexp(double(i), exponent); }
};

int16_t encodeEntry(double value, const Format &format) {
  if (format.isHalf) {
    return int16_t(floatToHalf(float(value)));
  }
  return int16_t(std::clamp<int64_t>(std::llround(value * format.one), INT16_MIN, INT16_MAX));
}

int64_t encodePlace(double place, const Format &format) {
  return format.isHalf ? int64_t(llvm::bit_cast<uint32_t>(float(place))) : std::llround(place);
}

/// The line on which a value goes on past the last entry.
LutTables::Slope encodeSlope(double perUnit) { return {int16_t(floatToHalf(float(perUnit))), 0}; }

LutTables fill(Function f, const Range &le, const Range &lo, const Format &format) {
  LutTables lut;
  lut.isLeLinear = true;
  for (int i = 0; i <= kLeIntervals; ++i) {
    lut.le[i] = encodeEntry(f(le.at(i)), format);
  }
  for (int i = 0; i <= kLoIntervals; ++i) {
    lut.lo[i] = encodeEntry(f(lo.at(i)), format);
  }
  lut.leIndexSelect = int8_t(le.exponent);
  lut.loIndexSelect = int8_t(lo.exponent);
  lut.leStart = encodePlace(le.start, format);
  lut.leEnd = encodePlace(le.at(kLeIntervals), format);
  lut.loStart = encodePlace(lo.start, format);
  lut.loEnd = encodePlace(lo.at(kLoIntervals), format);
  return lut;
}

/// Nearest scale of 15 bits and shift, or nothing for ratios out of reach.
std::optional<Converter> converterFor(double ratio) {
  int exponent = 0;
  double mantissa = std::frexp(ratio, &exponent); // in [0.5, 1)
  int64_t scale = std::llround(std::ldexp(mantissa, 15));
  int shift = 15 - exponent;
  if (scale > INT16_MAX) {
    scale /= 2;
    --shift;
  }
  if (!(ratio > 0) || shift < 0 || shift > 63) {
    return std::nullopt;
  }
  return Converter{true, 0, int32_t(scale), uint32_t(shift)};
}

/// The same with a zero point behind it, whose place is before the factor.
std::optional<Converter> converterFor(double ratio, int32_t zeroPoint, unsigned offsetBits) {
  std::optional<Converter> converter = converterFor(ratio);
  if (!converter) {
    return std::nullopt;
  }
  int64_t offset = -std::llround(std::ldexp(double(zeroPoint), int(converter->shift)) /
                                 double(converter->scale));
  if (offset != saturate(offset, offsetBits)) {
    return std::nullopt;
  }
  converter->offset = int32_t(offset);
  return converter;
}

/// Fits the factor of a normalisation, a function that falls from 0 on, in halves.
class NormalizationFit {
public:
  NormalizationFit(Function f, double largest) : f(f), largest(largest) {
    for (int i = 0; i <= kSamples; ++i) {
      addSample(largest * i / kSamples);
      addSample(largest * std::exp2(-24.0 * i / kSamples)); // where it bends most
    }
  }

  LutTables run() {
    // Intervals so wide that LO alone holds everything.
    int widest = std::max(int(std::ceil(std::log2(largest / kLoIntervals))), kLowest);
    for (int exponent = widest; exponent >= std::max(widest - kMostFiner, kLowest); --exponent) {
      double end = std::ldexp(kLoIntervals, exponent);
      double tail = std::max(largest - end, 1.0);
      int tailExponent = std::max(int(std::ceil(std::log2(tail / kLeIntervals))), exponent);
      consider({end, tailExponent}, {0, exponent}, /*isLeFine=*/false);
      consider({0, exponent}, {0, widest}, /*isLeFine=*/true);
    }
    return best;
  }

private:
  static constexpr int kSamples = 1024, kMostFiner = 12, kLowest = -126;
  static constexpr Format kHalf{/*isHalf=*/true, 1};

  void addSample(double s) { samples.push_back(double(float(s))); }

  void consider(const Range &le, const Range &lo, bool isLeFine) {
    LutTables lut = fill(f, le, lo, kHalf);
    lut.underflowTakesLo = !isLeFine;
    lut.overflowTakesLo = isLeFine;
    lut.hybridTakesLo = !isLeFine;
    double end = isLeFine ? lo.at(kLoIntervals) : le.at(kLeIntervals);
    LutTables::Slope slope = encodeSlope((f(2 * end) - f(end)) / end);
    (isLeFine ? lut.loOverflow : lut.leOverflow) = slope;
    double error = worstError(lut);
    if (error < bestError) {
      bestError = error;
      best = lut;
    }
  }

  double worstError(const LutTables &lut) const {
    double worst = 0;
    for (double s : samples) {
      auto value = double(lookUpFloat(lut, float(s)));
      worst = std::max(worst, std::abs(value / f(s) - 1));
    }
    return worst;
  }

  Function f;
  double largest;
  std::vector<double> samples;
  double bestError = std::numeric_limits<double>::infinity();
  LutTables best;
};

double evaluate(Curve curve, double x) {
  return curve == Curve::Tanh ? std::tanh(x) : 1 / (1 + std::exp(-x));
}

/// Beyond this a curve is nearly straight: tanh is sigmoid's shape at half the width.
double bendOf(Curve curve) { return curve == Curve::Tanh ? 4 : 8; }

/// Both tables lie around 0. `exponentOf` gives the exponent of a real width.
LutTables fitCurve(Function f, double bend, llvm::function_ref<int(double)> exponentOf,
                   const Format &format) {
  Range lo{0, exponentOf(2 * bend / kLoIntervals)};
  Range le{0, std::max(exponentOf(8 * bend / kLeIntervals), lo.exponent + 2)};
  lo.start = -lo.at(kLoIntervals / 2);
  le.start = -le.at(kLeIntervals / 2);
  LutTables lut = fill(f, le, lo, format);
  lut.hybridTakesLo = true;
  return lut;
}

} // namespace

LutTables halfNormalization(const Normalization &lrn, double largestSum) {
  auto factor = [&](double s) {
    return std::pow(lrn.bias + lrn.alpha / lrn.window * s, -lrn.beta);
  };
  return NormalizationFit(factor, largestSum).run();
}

LutTables placeTables(const IntegerTables &tables) {
  bool isNearLo = tables.near.size() == kLoIntervals + 1;
  int64_t nearEnd = int64_t(tables.near.size() - 1) << tables.nearShift;
  int64_t farEnd = tables.farStart + (int64_t(tables.far.size() - 1) << tables.farShift);
  LutTables lut;
  lut.isLeLinear = true;
  llvm::copy(isNearLo ? tables.far : tables.near, lut.le.begin());
  llvm::copy(isNearLo ? tables.near : tables.far, lut.lo.begin());
  lut.leIndexSelect = int8_t(isNearLo ? tables.farShift : tables.nearShift);
  lut.loIndexSelect = int8_t(isNearLo ? tables.nearShift : tables.farShift);
  lut.leStart = isNearLo ? tables.farStart : 0;
  lut.loStart = isNearLo ? 0 : tables.farStart;
  lut.leEnd = isNearLo ? farEnd : nearEnd;
  lut.loEnd = isNearLo ? nearEnd : farEnd;
  // The first entry of a table counts as before it. Where the far table begins at the end
  // of the near one, or before, neither is hit there, or both are.
  bool isFarAtEnd = tables.farStart == nearEnd;
  lut.underflowTakesLo = isNearLo;
  lut.overflowTakesLo = !isNearLo;
  lut.hybridTakesLo = isNearLo != isFarAtEnd;
  return lut;
}

LutTables placeLookup(llvm::ArrayRef<int16_t> entries) {
  LutTables lut;
  lut.isLeLinear = true;
  llvm::copy(entries, lut.lo.begin());
  lut.loStart = -129;
  lut.loEnd = lut.leStart = lut.leEnd = 127; // LE is never reached
  lut.underflowTakesLo = lut.overflowTakesLo = lut.hybridTakesLo = true;
  return lut;
}

LutTables halfCurve(Curve curve) {
  auto f = [&](double x) { return evaluate(curve, x); };
  auto exponentOf = [](double width) { return int(std::ceil(std::log2(width))); };
  return fitCurve(f, bendOf(curve), exponentOf, {/*isHalf=*/true, 1});
}

std::optional<IntegerCurve> integerCurve(Curve curve, double unit, Scaling output) {
  Format format{/*isHalf=*/false, INT16_MAX};
  std::optional<Converter> out =
      converterFor(1 / (output.scale * format.one), output.zeroPoint, /*offsetBits=*/32);
  if (!out) {
    return std::nullopt;
  }
  auto f = [&](double x) { return evaluate(curve, x * unit); };
  auto exponentOf = [&](double width) {
    return std::clamp(int(std::ceil(std::log2(width / unit))), 0, 22);
  };
  return IntegerCurve{fitCurve(f, bendOf(curve), exponentOf, format), *out};
}

} // namespace convoy::nvdla
