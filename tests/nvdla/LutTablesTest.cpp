// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the tables of CDP and SDP are from the functions they stand for, measured
// through the simulated units.

#include "Accelerators/NVDLA/Tables/LutTables.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Accelerators/NVDLA/Simulator/Lut.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace convoy::nvdla;

namespace {

// AlexNet and CaffeNet; GoogLeNet; the paper's own.
const Normalization kAlexNet{5, 1e-4, 0.75, 1}, kWithTwo{5, 1e-4, 0.75, 2}, kSteep{3, 0.5, 0.9, 1};

double exact(const Normalization &lrn, const std::vector<double> &x, int64_t c) {
  int64_t half = lrn.window / 2;
  double sum = 0;
  for (int64_t i = std::max<int64_t>(0, c - half);
       i <= std::min<int64_t>(int64_t(x.size()) - 1, c + half); ++i) {
    sum += x[i] * x[i];
  }
  return x[c] / std::pow(lrn.bias + lrn.alpha / lrn.window * sum, lrn.beta);
}

/// One row of pixels of 32 channels through CDP.
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

  /// Where channel c of pixel p lies in a cube.
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

/// The worst distance in steps of the output from the exact value, 0.5 when only the
/// last rounding is left.
double worstSteps(const Normalization &lrn, Scaling input, Scaling output) {
  std::optional<IntegerNormalization> fit = integerNormalization(lrn, input, output);
  if (!fit) {
    ADD_FAILURE() << "no converters";
    return 0;
  }
  CdpCase test(Precision::Int8);
  test.job.window = lrn.window;
  test.job.inConverter = fit->in;
  test.job.outConverter = fit->out;
  test.job.lut = fit->lut;
  std::mt19937 random(3);
  std::vector<uint8_t> bytes(test.cubeBytes());
  for (uint32_t p = 0; p < CdpCase::kPixels; ++p) {
    int spread = 1 << (p % 8 + 1); // dark pixels and bright ones
    for (uint32_t c = 0; c < CdpCase::kChannels; ++c) {
      bytes[test.placeOf(p, c)] = uint8_t(int(random() % spread) - spread / 2);
    }
  }
  std::vector<uint8_t> results = test.run(bytes);
  double worst = 0;
  for (uint32_t p = 0; p < CdpCase::kPixels; ++p) {
    std::vector<double> x;
    for (uint32_t c = 0; c < CdpCase::kChannels; ++c) {
      x.push_back((int8_t(bytes[test.placeOf(p, c)]) - input.zeroPoint) * input.scale);
    }
    for (uint32_t c = 0; c < CdpCase::kChannels; ++c) {
      double right = exact(lrn, x, c) / output.scale + output.zeroPoint;
      double actual = int8_t(results[test.placeOf(p, c)]);
      worst = std::max(worst, std::abs(actual - std::clamp(right, -128.0, 127.0)));
    }
  }
  return worst;
}

TEST(LutTables, NormaliseInt8WithinTheLastRounding) {
  EXPECT_LE(worstSteps(kAlexNet, {0.5, 0}, {0.5, 0}), 0.52);
  EXPECT_LE(worstSteps(kAlexNet, {8, 0}, {3, 0}), 0.6); // sums far into the bend
  EXPECT_LE(worstSteps(kWithTwo, {4, -128}, {2, -100}), 0.6);
  EXPECT_LE(worstSteps(kWithTwo, {0.02, 5}, {0.02, 3}), 0.52);
  EXPECT_LE(worstSteps(kSteep, {0.1, 0}, {0.01, 0}), 0.65); // bends 30 times as much
}

TEST(LutTables, SayWhatConvertersCannot) {
  EXPECT_FALSE(integerNormalization(kAlexNet, {1, 0}, {1e-12, 0}));
  EXPECT_FALSE(integerNormalization(kAlexNet, {1e-3, 0}, {100, 100})); // offset too large
}

/// The worst relative error of CDP in fp16, over values up to `largest`.
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
      if (std::abs(right) > 1e-2) { // below, halves themselves lose bits
        worst = std::max(worst, std::abs(halfAt(results, p, c) / right - 1));
      }
    }
  }
  return worst;
}

TEST(LutTables, NormaliseFp16) {
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
    EXPECT_LE(worst, 3.5e-4); // 2^-12 of an entry near 1, and the chord
  }
}

TEST(LutTables, CurvesInInt8) {
  for (Curve curve : {Curve::Sigmoid, Curve::Tanh}) {
    for (double unit : {1e-5, 3e-4, 0.02, 0.3}) {
      // What ONNX quantises a sigmoid and a tanh to.
      Scaling output = curve == Curve::Tanh ? Scaling{1.0 / 128, 0} : Scaling{1.0 / 256, -128};
      std::optional<IntegerCurve> fit = integerCurve(curve, unit, output);
      ASSERT_TRUE(fit);
      double worst = 0;
      for (double x = -20; x <= 20; x += 0.0037) {
        auto t = int32_t(std::llround(x / unit));
        int64_t wide = lookUpSdp(fit->lut, t);
        int64_t narrow =
            saturate(convertValue(wide, fit->out.offset, fit->out.scale, int(fit->out.shift)), 8);
        double right = curveAt(curve, t * unit) / output.scale + output.zeroPoint;
        worst = std::max(worst, std::abs(double(narrow) - std::clamp(right, -128.0, 127.0)));
      }
      EXPECT_LE(worst, 0.53) << unit;
    }
  }
}

} // namespace
