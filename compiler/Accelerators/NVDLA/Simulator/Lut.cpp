// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the interval of a value in a table, and interpolates between two entries or extrapolates
// past the end.

#include "Accelerators/NVDLA/Simulator/Lut.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "llvm/ADT/bit.h"
#include <cmath>

namespace convoy::nvdla {
namespace {

/// The position of a value in one table: the interval, and the fraction of it in units of
/// 2^-fractionBits.
struct Position {
  LutState state = LutState::Hit;
  uint32_t index = 0;
  uint64_t fraction = 0;
};

uint64_t scaleFraction(uint64_t value, int bits, int fractionBits) {
  if (bits <= fractionBits) {
    return value << (fractionBits - bits);
  }
  return bits - fractionBits < 64 ? value >> (bits - fractionBits) : 0;
}

Position findExponential(const LutTables &lut, int64_t x, int fractionBits) {
  int64_t t = x - lut.leStart;
  if (t <= 0) {
    return {LutState::Underflow};
  }
  int exponent = 63 - llvm::countl_zero(uint64_t(t));
  int index = exponent - lut.leIndexOffset;
  if (index < 0) {
    return {LutState::Underflow};
  }
  if (index >= 64) {
    return {LutState::Overflow};
  }
  uint64_t rest = uint64_t(t) - (uint64_t(1) << exponent);
  return {LutState::Hit, uint32_t(index), scaleFraction(rest, exponent, fractionBits)};
}

Position findLinear(int64_t start, int select, uint64_t intervals, int64_t x, int fractionBits) {
  int64_t t = x - start;
  if (t <= 0) {
    return {LutState::Underflow}; // t = 0 underflows too
  }
  if (select <= 0) {
    // Shifts left; an index past 2^16 is past the table as well.
    Wide index = Wide(t) << std::min(-select, 64);
    return index >= Wide(intervals) ? Position{LutState::Overflow}
                                    : Position{LutState::Hit, uint32_t(index)};
  }
  uint64_t index = select < 64 ? uint64_t(t) >> select : 0;
  if (index >= intervals) {
    return {LutState::Overflow};
  }
  uint64_t rest = select < 64 ? uint64_t(t) & ((uint64_t(1) << select) - 1) : uint64_t(t);
  return {LutState::Hit, uint32_t(index), scaleFraction(rest, select, fractionBits)};
}

struct Answers {
  Position le, lo;
};

Answers findBoth(const LutTables &lut, int64_t x, int fractionBits) {
  return {lut.isLeLinear ? findLinear(lut.leStart, lut.leIndexSelect, 64, x, fractionBits)
                         : findExponential(lut, x, fractionBits),
          findLinear(lut.loStart, lut.loIndexSelect, 256, x, fractionBits)};
}

/// The chosen table.
struct ChosenTable {
  Position position;
  const int16_t *entries;
  uint32_t intervals;
  int64_t start, end;
  LutTables::Slope underflow, overflow;
};

ChosenTable choose(const LutTables &lut, const Answers &answers, int64_t exponentialBase) {
  if (takesLo(lut, answers.le.state, answers.lo.state)) {
    return {answers.lo, lut.lo.data(),   256,           lut.loStart,
            lut.loEnd,  lut.loUnderflow, lut.loOverflow};
  }
  int64_t start = lut.leStart + (lut.isLeLinear ? 0 : exponentialBase);
  return {answers.le, lut.le.data(), 64, start, lut.leEnd, lut.leUnderflow, lut.leOverflow};
}

/// Returns the change from the table's end along the slope beyond it, and the entry at that end.
std::pair<Wide, int16_t> extrapolate(const ChosenTable &choice, int64_t x) {
  bool isUnder = choice.position.state == LutState::Underflow;
  const LutTables::Slope &slope = isUnder ? choice.underflow : choice.overflow;
  int64_t base = isUnder ? choice.start : choice.end;
  return {roundShift(Wide(x - base) * slope.scale, slope.shift),
          choice.entries[isUnder ? 0 : choice.intervals]};
}

void countCdp(const Answers &answers, LutCounters &counters) {
  LutState le = answers.le.state, lo = answers.lo.state;
  if (le == LutState::Underflow && lo == LutState::Underflow) {
    ++counters.underflow;
  } else if (le == LutState::Overflow && lo == LutState::Overflow) {
    ++counters.overflow;
  } else if (le == LutState::Hit && lo != LutState::Hit) {
    ++counters.leHit;
  } else if (lo == LutState::Hit && le != LutState::Hit) {
    ++counters.loHit;
  } else {
    ++counters.hybrid;
  }
}

void countSdp(const Answers &answers, LutState chosen, LutCounters &counters) {
  counters.underflow += chosen == LutState::Underflow;
  counters.overflow += chosen == LutState::Overflow;
  counters.hybrid += chosen == LutState::Hit;
  counters.leHit += answers.le.state == LutState::Hit;
  counters.loHit += answers.lo.state == LutState::Hit;
}

float floatFromBits(int64_t bits) { return llvm::bit_cast<float>(uint32_t(bits)); }

/// State, interval and fraction of one table in fp16 mode.
struct FloatPosition {
  LutState state;
  uint32_t index;
  float fraction;
};

FloatPosition findFloat(float t, float scaled, uint32_t intervals, bool isExponential) {
  if (!(t > 0) || (isExponential && scaled < 0)) {
    return {LutState::Underflow, 0, 0};
  }
  if (scaled >= float(intervals)) {
    return {LutState::Overflow, intervals, 0};
  }
  uint32_t index = uint32_t(scaled);
  return {LutState::Hit, index, scaled - float(index)};
}

} // namespace

bool takesLo(const LutTables &lut, LutState le, LutState lo) {
  if (le == LutState::Underflow && lo == LutState::Underflow) {
    return lut.underflowTakesLo;
  }
  if (le == LutState::Overflow && lo == LutState::Overflow) {
    return lut.overflowTakesLo;
  }
  if ((le == LutState::Hit) != (lo == LutState::Hit)) {
    return lo == LutState::Hit;
  }
  return lut.hybridTakesLo;
}

int32_t lookUpSdp(const LutTables &lut, int32_t x, LutCounters *counters) {
  constexpr int kFractionBits = 35;
  Answers answers = findBoth(lut, x, kFractionBits);
  // The table begins at 2^offset past its start; SDP treats an offset of 0 as none.
  int64_t base = lut.leIndexOffset > 0 ? int64_t(1) << std::min<int>(lut.leIndexOffset, 62) : 0;
  ChosenTable choice = choose(lut, answers, base);
  if (counters) {
    countSdp(answers, choice.position.state, *counters);
  }
  if (choice.position.state != LutState::Hit) {
    auto [change, entry] = extrapolate(choice, x);
    return int32_t(saturate(Wide(entry) + saturate(change, 32), 32));
  }
  Wide fraction = choice.position.fraction, one = Wide(1) << kFractionBits;
  const int16_t *entry = choice.entries + choice.position.index;
  return int32_t(
      saturate(roundShift(entry[0] * (one - fraction) + entry[1] * fraction, kFractionBits), 32));
}

int32_t lookUpCdp(const LutTables &lut, int64_t x, LutCounters *counters) {
  constexpr int kFractionBits = 16;
  Answers answers = findBoth(lut, x, kFractionBits);
  int64_t base = lut.leIndexOffset >= 0 ? int64_t(1) << std::min<int>(lut.leIndexOffset, 62) : 0;
  ChosenTable choice = choose(lut, answers, base);
  if (counters) {
    countCdp(answers, *counters);
  }
  if (choice.position.state != LutState::Hit) {
    auto [change, entry] = extrapolate(choice, x);
    return int32_t(saturate(Wide(entry) + saturate(change, 56), 16));
  }
  const int16_t *entry = choice.entries + choice.position.index;
  Wide change = Wide(entry[1] - entry[0]) * Wide(choice.position.fraction);
  return int32_t(saturate(entry[0] + roundShift(change, kFractionBits), 16));
}

float lookUpFloat(const LutTables &lut, float x) {
  float leStart = floatFromBits(lut.leStart), loStart = floatFromBits(lut.loStart);
  float tLe = x - leStart, tLo = x - loStart;
  float scaled = std::ldexp(tLe, -lut.leIndexSelect), base = 0;
  if (!lut.isLeLinear) {
    int exponent = tLe > 0 ? std::ilogb(tLe) : 0;
    scaled =
        float(exponent - lut.leIndexOffset) + (tLe > 0 ? std::ldexp(tLe, -exponent) - 1.0F : 0.0F);
    base = std::ldexp(1.0F, lut.leIndexOffset);
  }
  FloatPosition le = findFloat(tLe, scaled, 64, !lut.isLeLinear);
  FloatPosition lo = findFloat(tLo, std::ldexp(tLo, -lut.loIndexSelect), 256, false);
  bool isLo = takesLo(lut, le.state, lo.state);
  const FloatPosition &at = isLo ? lo : le;
  auto entry = [&](uint32_t i) { return halfToFloat(uint16_t(isLo ? lut.lo[i] : lut.le[i])); };
  if (at.state == LutState::Hit) {
    return entry(at.index) * (1 - at.fraction) + entry(at.index + 1) * at.fraction;
  }
  bool isUnder = at.state == LutState::Underflow;
  const LutTables::Slope &slope = isLo ? (isUnder ? lut.loUnderflow : lut.loOverflow)
                                       : (isUnder ? lut.leUnderflow : lut.leOverflow);
  float end = isLo ? (isUnder ? loStart : floatFromBits(lut.loEnd))
                   : (isUnder ? leStart + base : floatFromBits(lut.leEnd));
  return entry(isUnder ? 0 : isLo ? 256 : 64) + (x - end) * halfToFloat(uint16_t(slope.scale));
}

} // namespace convoy::nvdla
