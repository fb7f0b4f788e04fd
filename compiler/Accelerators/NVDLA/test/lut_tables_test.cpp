// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the error of the tables of CDP and SDP against the functions that they approximate,
// through the simulated units.

#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/Lut.h"
#include "Accelerators/NVDLA/Tables/LutTables.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace convoy::nvdla;

namespace {

// AlexNet and CaffeNet, and the same parameters with a bias of 2.
const Normalization kAlexNet{5, 1e-4, 0.75, 1}, kWithTwo{5, 1e-4, 0.75, 2};

double exact(const Normalization &lrn, const std::vector<double> &x, int64_t c) {
  int64_t half = lrn.window / 2;
  double sum = 0;
  for (int64_t i = std::max<int64_t>(0, c - half);
       i <= std::min<int64_t>(int64_t(x.size()) - 1, c + half); ++i) {
    sum += x[i] * x[i];
  }
  return x[c] / std::pow(lrn.bias + lrn.alpha / lrn.window * sum, lrn.beta);
}

/// Runs one row of pixels of 32 channels through CDP.
class CdpCase {
public:
  static constexpr uint32_t kChannels = 32, kPixels = 64;

  explicit CdpCase(Precision precision) : bytes(bytesPerElement(precision)) {
    job.precision = precision;
    job.size = {kPixels, 1, kChannels};
    uint64_t line = uint64_t(kPixels) * config.atomBytes;
    job.source = {0x1000, Port::Dram, line, line};
    job.target = {0x100000, Port::Dram, line, line};
  }

  /// Returns the offset of channel c of pixel p in a cube.
  size_t placeOf(uint32_t p, uint32_t c) const {
    uint32_t lanes = config.atomBytes / bytes;
    return (size_t(c / lanes) * kPixels + p) * config.atomBytes + size_t(c % lanes) * bytes;
  }

  std::vector<uint8_t> run(const std::vector<uint8_t> &input) {
    Memory memory;
    memory.load(Port::Dram, job.source.address, input);
    memory.load(Port::Dram, job.target.address, std::vector<uint8_t>(input.size()));
    llvm::Error error = runCdp(job, {config, memory});
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    return memory.copy(Port::Dram, job.target.address, input.size());
  }

  size_t cubeBytes() const { return size_t(kPixels) * kChannels * bytes; }

  const HardwareConfig &config = *findHardwareConfig("nv_full");
  CdpJob job;
  uint32_t bytes;
};

/// Computes graph.integer_lrn's lookup independently: the near table up to its end, then the far
/// table.
int64_t between(const IntegerTables &tables, int64_t s) {
  bool isNear = s < int64_t(tables.near.size() - 1) << tables.nearShift;
  llvm::ArrayRef<int16_t> table = isNear ? tables.near : tables.far;
  int64_t shift = isNear ? tables.nearShift : tables.farShift;
  int64_t t = isNear ? s : s - tables.farStart;
  int64_t i = std::min(t >> shift, int64_t(table.size()) - 1);
  int64_t next = std::min(i + 1, int64_t(table.size()) - 1);
  double rise = double(table[next] - table[i]) * double(t - (i << shift)) / double(1 << shift);
  return table[i] + (i == next ? 0 : std::llround(rise)); // ties away from zero, as CDP
}

/// Compares CDP's lookup with between() over the range of both tables, with random entries.
void expectPlaced(size_t nearEntries, int64_t nearShift, int64_t farStart, int64_t farShift) {
  std::mt19937 random(5);
  std::vector<int16_t> near(nearEntries), far(nearEntries == 65 ? 257 : 65);
  for (std::vector<int16_t> *table : {&near, &far}) {
    for (int16_t &entry : *table) {
      entry = int16_t(random());
    }
  }
  int64_t nearEnd = int64_t(nearEntries - 1) << nearShift;
  IntegerTables tables{near, far, nearShift, farStart, farShift};
  LutTables lut = placeTables(tables);
  int64_t end = farStart + (int64_t(far.size() - 1) << farShift);
  for (int64_t s = 0; s <= end + 1000; s += s < nearEnd + 100 ? 1 : 7) {
    ASSERT_EQ(lookUpCdp(lut, s), between(tables, s)) << s;
  }
}

TEST(LutTables, PlaceTablesOfIntegers) {
  expectPlaced(257, 3, 2048, 11); // the longer table first
  expectPlaced(65, 2, 256, 9);    // the shorter table first
  expectPlaced(65, 4, 0, 8);      // overlapping tables
  expectPlaced(257, 0, 256, 12);  // one entry per number
  expectPlaced(65, 5, 100, 10);
}

TEST(LutTables, LookUpEveryByte) {
  std::mt19937 random(7);
  std::vector<int16_t> entries(257);
  for (int16_t &entry : entries) {
    entry = int16_t(random());
  }
  LutTables lut = placeLookup(entries);
  for (int x = -128; x <= 127; ++x) {
    EXPECT_EQ(lookUpSdp(lut, x), entries[x + 129]) << x;
  }
  EXPECT_EQ(lookUpSdp(lut, -1000), entries.front());
  EXPECT_EQ(lookUpSdp(lut, 1000), entries.back());
}

/// Returns the largest relative error of CDP in fp16, over values up to `largest`.
double worstRelative(const Normalization &lrn, double largest, double largestSum) {
  CdpCase test(Precision::Fp16);
  test.job.window = lrn.window;
  test.job.lut = halfNormalization(lrn, largestSum);
  std::mt19937 random(4);
  std::vector<uint8_t> bytes(test.cubeBytes());
  auto halfAt = [&](const std::vector<uint8_t> &from, uint32_t p, uint32_t c) {
    size_t at = test.placeOf(p, c);
    return double(halfToFloat(uint16_t(from[at] | from[at + 1] << 8)));
  };
  for (uint32_t p = 0; p < CdpCase::kPixels; ++p) {
    double spread = largest * std::exp2(-double(p % 16));
    for (uint32_t c = 0; c < CdpCase::kChannels; ++c) {
      double value = spread * (double(random() % 2001) / 1000 - 1);
      uint16_t half = floatToHalf(float(value));
      bytes[test.placeOf(p, c)] = uint8_t(half);
      bytes[test.placeOf(p, c) + 1] = uint8_t(half >> 8);
    }
  }
  std::vector<uint8_t> results = test.run(bytes);
  double worst = 0;
  for (uint32_t p = 0; p < CdpCase::kPixels; ++p) {
    std::vector<double> x;
    for (uint32_t c = 0; c < CdpCase::kChannels; ++c) {
      x.push_back(halfAt(bytes, p, c));
    }
    for (uint32_t c = 0; c < CdpCase::kChannels; ++c) {
      double right = exact(lrn, x, c);
      if (std::abs(right) > 1e-2) { // smaller results lose bits in f16 itself
        worst = std::max(worst, std::abs(halfAt(results, p, c) / right - 1));
      }
    }
  }
  return worst;
}

TEST(LutTables, NormalizeFp16) {
  // Entry, interpolation and result are each within half a unit of 11 bits: 2^-11.
  EXPECT_LE(worstRelative(kAlexNet, 100, 5e4), 1.1e-3);
  EXPECT_LE(worstRelative(kAlexNet, 800, 5 * 640000.0), 1.6e-3);
  EXPECT_LE(worstRelative(kWithTwo, 500, 5 * 250000.0), 1.1e-3);
  // The same tables for small numbers.
  EXPECT_LE(worstRelative(kAlexNet, 2, 5 * 640000.0), 1.1e-3);
}

double curveAt(Curve curve, double x) {
  return curve == Curve::Tanh ? std::tanh(x) : 1 / (1 + std::exp(-x));
}

TEST(LutTables, CurvesInFp16) {
  for (Curve curve : {Curve::Sigmoid, Curve::Tanh}) {
    LutTables lut = halfCurve(curve);
    double worst = 0;
    for (double x = -40; x <= 40; x += 0.0037) {
      worst = std::max(worst, std::abs(lookUpFloat(lut, float(x)) - curveAt(curve, x)));
    }
    EXPECT_LE(worst, 3.5e-4); // 2^-12 of an entry near 1, plus the interpolation error
  }
}

} // namespace
