// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fits fp16 functions to the two tables, and places integer entries that the quantize stage has
// computed. All intervals of a table have the same width, a power of two: LO has 256 intervals, LE
// has 64. The exponential form of LE is not used, because one interval per octave has errors of
// several percent where these functions have a high curvature.
//
//   normalization   LO  |-|-|-|-|-|-|-|-|             or  LO  |----|----|----|----|
//                   LE                  |---|---|         LE  |-|-|-|
//                       fine, then a coarse tail          fine where the curvature is high
//
//   sigmoid, tanh   LO        |-|-|-|-|-|
//                   LE  |----|----|----|----|             for the tails

#include "Accelerators/NVDLA/Tables/LutTables.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/Lut.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>

namespace convoy::nvdla {
namespace {

constexpr int kLeIntervals = 64, kLoIntervals = 256;

using Function = llvm::function_ref<double(double)>;

/// Intervals of 2^exponent starting at `start`.
struct TableRange {
  double start = 0;
  int exponent = 0;

  double at(int i) const { return start + std::ldexp(double(i), exponent); }
};

int16_t encodeEntry(double value) { return int16_t(floatToHalf(float(value))); }

int64_t encodePlace(double place) { return int64_t(llvm::bit_cast<uint32_t>(float(place))); }

/// Encodes the slope of the line past the last entry.
LutTables::Slope encodeSlope(double perUnit) { return {int16_t(floatToHalf(float(perUnit))), 0}; }

LutTables fill(Function f, const TableRange &le, const TableRange &lo) {
  LutTables lut;
  lut.isLeLinear = true;
  for (int i = 0; i <= kLeIntervals; ++i) {
    lut.le[i] = encodeEntry(f(le.at(i)));
  }
  for (int i = 0; i <= kLoIntervals; ++i) {
    lut.lo[i] = encodeEntry(f(lo.at(i)));
  }
  lut.leIndexSelect = int8_t(le.exponent);
  lut.loIndexSelect = int8_t(lo.exponent);
  lut.leStart = encodePlace(le.start);
  lut.leEnd = encodePlace(le.at(kLeIntervals));
  lut.loStart = encodePlace(lo.start);
  lut.loEnd = encodePlace(lo.at(kLoIntervals));
  return lut;
}

/// Fits the factor of a normalization, a function that decreases from 0 on, in fp16.
class NormalizationFit {
public:
  NormalizationFit(Function f, double largest) : f(f), largest(largest) {
    for (int i = 0; i <= kSamples; ++i) {
      addSample(largest * i / kSamples);
      addSample(largest * std::exp2(-24.0 * i / kSamples)); // samples where the curvature is high
    }
  }

  LutTables run() {
    // The interval width with which LO alone covers the range.
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

  void addSample(double s) { samples.push_back(double(float(s))); }

  void consider(const TableRange &le, const TableRange &lo, bool isLeFine) {
    LutTables lut = fill(f, le, lo);
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

/// Returns the value beyond which a curve is nearly straight; tanh has the shape of sigmoid at half
/// the width.
double bendOf(Curve curve) { return curve == Curve::Tanh ? 4 : 8; }

/// Fits both tables symmetrically around 0.
LutTables fitCurve(Function f, double bend) {
  auto exponentOf = [](double width) { return int(std::ceil(std::log2(width))); };
  TableRange lo{0, exponentOf(2 * bend / kLoIntervals)};
  TableRange le{0, std::max(exponentOf(8 * bend / kLeIntervals), lo.exponent + 2)};
  lo.start = -lo.at(kLoIntervals / 2);
  le.start = -le.at(kLeIntervals / 2);
  LutTables lut = fill(f, le, lo);
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
  // The first entry of a table counts as underflow. If the far table begins at or before the end of
  // the near one, a value there hits neither table or both.
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
  lut.loEnd = lut.leStart = lut.leEnd = 127; // LE is never used
  lut.underflowTakesLo = lut.overflowTakesLo = lut.hybridTakesLo = true;
  return lut;
}

LutTables halfCurve(Curve curve) {
  return fitCurve([&](double x) { return evaluate(curve, x); }, bendOf(curve));
}

} // namespace convoy::nvdla
