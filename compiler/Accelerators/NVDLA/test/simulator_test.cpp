// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the parts of CONV, CDP, PDP, RUBIK and memory that no published trace covers: the input
// converter's values, pixel order, lanes past the last channel, and invalid jobs. Numbers in
// brackets refer to the facts in docs/targets/nvdla.md.

#include "Accelerators/NVDLA/Simulator/ConvData.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Accelerators/NVDLA/Simulator/Winograd.h"
#include <gtest/gtest.h>

using namespace convoy::nvdla;

namespace {

TEST(FixedPoint, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(int64_t(roundShift(5, 1)), 3);
  EXPECT_EQ(int64_t(roundShift(-5, 1)), -3);
  EXPECT_EQ(int64_t(roundShift(5, 0)), 5);
  EXPECT_EQ(int64_t(roundShift(5, -2)), 20);
  EXPECT_EQ(int64_t(roundShift(INT64_MAX, 1000)), 0);
  EXPECT_EQ(saturate(200, 8), 127);
  EXPECT_EQ(saturate(-200, 8), -128);
  EXPECT_EQ(signExtend(0x1ff, 8), -1);
  EXPECT_EQ(signExtend(0x20, 6), -32);
}

TEST(ConvInputConverter, SubtractsScalesAndRounds) { // [4.1]
  ConvJob job;
  EXPECT_EQ(convertInput(job, 0, 7), 7); // disabled
  job.converter = {true, 2, 3, 1};
  EXPECT_EQ(convertInput(job, 0, 7), 8);   // 7.5
  EXPECT_EQ(convertInput(job, 0, -3), -8); // -7.5
  EXPECT_EQ(convertInput(job, 0, 127), 127);
  job.means = {100, 101, 102, 103};
  job.hasMeans = true;
  EXPECT_EQ(convertInput(job, 1, 7), 8); // features have no means
  job.isImage = true;
  EXPECT_EQ(convertInput(job, 1, 111), 15); // [4.3]
}

/// Runs one job on nv_small.
class ConvTest : public testing::Test {
protected:
  void load(uint64_t address, std::vector<uint8_t> bytes) {
    memory.load(Port::Dram, address, bytes);
  }
  std::vector<int32_t> run() {
    llvm::Expected<Stream> out = runConv(job, {*findHardwareConfig("nv_small"), memory});
    if (!out) {
      ADD_FAILURE() << llvm::toString(out.takeError());
      return {};
    }
    return out->ints;
  }
  std::string runError() {
    llvm::Expected<Stream> out = runConv(job, {*findHardwareConfig("nv_small"), memory});
    return out ? "" : llvm::toString(out.takeError());
  }
  void SetUp() override {
    job.source = {0x100, Port::Dram, 0x40, 0x80};
    job.weightAddress = 0x800;
  }

  Memory memory;
  ConvJob job;
};

TEST_F(ConvTest, PaddingIsNotConverted) { // [4.1]
  job.kernel = {3, 3, 1};
  job.padLeft = job.padTop = 1;
  job.padValue = 0x7f05; // only the low 8 bits count
  job.converter = {true, 0, 2, 0};
  load(0x100, {3});
  load(0x800, std::vector<uint8_t>(9, 1));
  EXPECT_EQ(run()[0], 46); // 6 + 8 * 5
  job.clipTruncate = 2;
  EXPECT_EQ(run()[0], 12); // 11.5 [4.9]
}

/// Reads the four channels of one pixel through kernels that select one channel each.
TEST_F(ConvTest, PixelsAreReordered) { // [4.5]
  job.isImage = true;
  job.input = {1, 1, 4};
  job.kernel = {1, 1, 4};
  job.kernels = 4;
  load(0x100, {1, 2, 3, 4});
  load(0x800, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  struct Row {
    uint32_t format;
    std::vector<int32_t> channels;
  };
  for (const Row &row :
       {Row{12, {1, 2, 3, 4}}, Row{16, {1, 2, 3, 4}}, Row{13, {3, 2, 1, 4}}, Row{17, {3, 2, 1, 4}},
        Row{26, {3, 2, 1, 4}}, Row{14, {2, 3, 4, 1}}, Row{18, {2, 3, 4, 1}}, Row{27, {2, 3, 4, 1}},
        Row{15, {4, 3, 2, 1}}, Row{19, {4, 3, 2, 1}}}) {
    job.pixelFormat = row.format;
    std::vector<int32_t> out = run();
    out.resize(4);
    EXPECT_EQ(out, row.channels) << "pixel format " << row.format;
  }
}

TEST_F(ConvTest, PixelsAreUnsignedUnlessToldOtherwise) { // [4.1]
  job.isImage = true;
  job.converter = {true, 128, 1, 0};
  load(0x100, {200});
  load(0x800, {1});
  EXPECT_EQ(run()[0], 72);
  job.isPixelSigned = true;
  EXPECT_EQ(run()[0], -128); // -56 - 128, saturated
}

TEST_F(ConvTest, RefusesWhatItDoesNotModel) {
  job.isWeightCompressed = true;
  EXPECT_EQ(runError(), "not supported by the simulator: compressed weights and batches");
  job.isWeightCompressed = false;
  job.isWinograd = true;
  EXPECT_EQ(
      runError(),
      "not supported by the simulator: Winograd convolutions other than 16-bit ones on nv_full");
  job.isWinograd = false;
  job.kernel.width = 33;
  EXPECT_EQ(runError(), "the kernel width of a convolution is 33; expects 1 to 32");
  job.kernel.width = 1;
  job.kernel.channels = 2;
  EXPECT_EQ(runError(), "a convolution with 1 input channels has kernels with 2 channels");
}

TEST(Winograd, RoundsHalvesAfterEachAddition) {
  // Rows first: 2048 - 1 has 11 bits; 2048 + 1 has 12 bits and is a tie, which rounds to even.
  float in[kTile] = {2048}, out[kTile];
  in[8] = 1;        // row 2
  in[4] = 2049 - 1; // row 1: 2048
  preAdd(in, out);
  EXPECT_EQ(out[0], 2047);  // 2048 - 1
  EXPECT_EQ(out[4], 2048);  // 2048 + 1, rounded
  EXPECT_EQ(out[8], -2047); // 1 - 2048
  EXPECT_EQ(out[12], 2048); // 2048 - 0
  // Then columns of the rounded values: 2050 + 2 * 0.5 in one step would be 2051.
  std::fill_n(in, kTile, 0.0F);
  in[0] = 2048;
  in[2] = -0.5F;
  in[8] = -1;
  preAdd(in, out);
  EXPECT_EQ(out[0], 2048); // (2048 + 1 -> 2048) + 0.5 -> 2048
  std::fill_n(in, kTile, 60000.0F);
  in[2] = in[8] = -60000;
  preAdd(in, out);
  EXPECT_EQ(out[0], 65504); // saturates
}

TEST(Winograd, ShiftsIntegersAndSaturates) {
  int16_t in[kTile] = {30000}, out[kTile];
  in[2] = in[8] = -30000;
  preAdd(in, /*truncate=*/0, /*bits=*/16, out);
  EXPECT_EQ(out[0], 32767);
  preAdd(in, /*truncate=*/2, /*bits=*/16, out);
  EXPECT_EQ(out[0], 22500); // 90000 / 4
  in[0] = 2;
  in[2] = in[8] = 0;
  preAdd(in, /*truncate=*/2, /*bits=*/16, out);
  EXPECT_EQ(out[0], 1); // a tie rounds away from zero
}

/// Uses small integers, whose sums are exact, so Winograd must equal the direct convolution.
class WinogradTest : public testing::Test {
protected:
  static int number(uint32_t i) { return int(i * 2654435761U >> 28) - 8; }

  void put(uint64_t address, int value) {
    uint16_t bits = job.precision == Precision::Fp16 ? floatToHalf(float(value)) : uint16_t(value);
    std::vector<uint8_t> bytes = {uint8_t(bits), uint8_t(bits >> 8)};
    memory.load(Port::Dram, address, bytes);
  }

  Stream run() {
    llvm::Expected<Stream> out = runConv(job, {*findHardwareConfig("nv_full"), memory});
    EXPECT_TRUE(bool(out)) << (out ? "" : llvm::toString(out.takeError()));
    return out ? std::move(*out) : Stream();
  }

  /// Compares 20 kernels of 3 x 3 x 16. Weights are multiples of four, so that transformed weights
  /// are integers.
  void expectSame() {
    job.input = {7, 8, 16};
    job.source = {0x100, Port::Dram, 7 * 32, 7 * 8 * 32};
    job.kernels = 20;
    job.outWidth = job.outHeight = 8;
    job.padLeft = job.padTop = 1;
    for (uint32_t i = 0; i < 7 * 8 * 16; ++i) {
      put(0x100 + 2 * i, number(i));
    }
    auto weight = [](uint32_t k, uint32_t c, uint32_t i) {
      return 4 * number(((k * 16) + c) * 9 + i + 1000);
    };
    job.kernel = {3, 3, 16};
    job.weightAddress = 0x10000;
    uint64_t at = job.weightAddress;
    for (uint32_t group : {0, 16}) { // direct: groups of 16 kernels, taps, kernels, channels
      for (uint32_t i = 0; i < 9; ++i) {
        for (uint32_t k = group; k < std::min(group + 16, 20U); ++k) {
          for (uint32_t c = 0; c < 16; ++c, at += 2) {
            put(at, weight(k, c, i));
          }
        }
      }
    }
    Stream direct = run();
    job.isWinograd = true;
    job.kernel = {4, 4, 16};
    job.weightAddress = at = 0x40000;
    constexpr int kG[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}}; // in units of one half
    for (uint32_t group : {0, 16}) { // channels / 4, kernels, rows, columns, channels % 4
      for (uint32_t c0 = 0; c0 < 16; c0 += 4) {
        for (uint32_t k = group; k < std::min(group + 16, 20U); ++k) {
          for (uint32_t i = 0; i < 16; ++i) {
            for (uint32_t c = c0; c < c0 + 4; ++c, at += 2) {
              int sum = 0;
              for (uint32_t j = 0; j < 9; ++j) {
                sum += kG[i / 4][j / 3] * kG[i % 4][j % 3] * weight(k, c, j);
              }
              put(at, sum / 4);
            }
          }
        }
      }
    }
    Stream tiled = run();
    ASSERT_FALSE(direct.ints.empty() && direct.floats.empty());
    EXPECT_EQ(direct.ints, tiled.ints);
    EXPECT_EQ(direct.floats, tiled.floats);
  }

  Memory memory;
  ConvJob job;
};

TEST_F(WinogradTest, GivesWhatTheDirectWayGivesInFp16) {
  job.precision = job.inPrecision = Precision::Fp16;
  expectSame();
}

TEST_F(WinogradTest, GivesWhatTheDirectWayGivesInInt16) {
  job.precision = job.inPrecision = Precision::Int16;
  expectSame();
}

TEST(Cdp, LanesPastTheCubeCountAsZeroAndAreWritten) { // [2.2]
  Memory memory;
  CdpJob job;
  job.source = {0x100, Port::Dram, 8, 8};
  job.target = {0x200, Port::Dram, 8, 8};
  job.inConverter = job.outConverter = {true, 0, 1, 0};
  job.isMulBypassed = true;
  job.lut.hybridTakesLo = true;
  job.lut.loStart = -1;
  for (int i = 0; i < 257; ++i) {
    job.lut.lo[i] = int16_t(i); // gives the sum plus one
  }
  memory.load(Port::Dram, 0x100, {3, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55});
  ASSERT_FALSE(bool(runCdp(job, {*findHardwareConfig("nv_small"), memory})));
  EXPECT_EQ(memory.copy(Port::Dram, 0x200, 8), (std::vector<uint8_t>{10, 10, 1, 1, 1, 1, 1, 1}));
}

TEST(Cdp, ConvertersUseTheLowBitsOfTheirOffsets) { // [2.3] [2.10]
  Memory memory;
  CdpJob job;
  job.source = {0x100, Port::Dram, 8, 8};
  job.target = {0x200, Port::Dram, 8, 8};
  job.isSquareSumBypassed = true;
  job.inConverter = {true, 0x1ff, 3, 1};      // offset -1
  job.outConverter = {true, 0x2000001, 1, 0}; // offset 1
  job.lut.isLeLinear = true;
  job.lut.hybridTakesLo = true;
  job.lut.lo.fill(2);
  job.lut.loStart = -100;
  memory.load(Port::Dram, 0x100, {4});
  ASSERT_FALSE(bool(runCdp(job, {*findHardwareConfig("nv_small"), memory})));
  EXPECT_EQ(memory.copy(Port::Dram, 0x200, 1)[0], 15); // d = 7.5 -> 8; 2 * 8 - 1
}

TEST(Pdp, RefusesKernelsThatAreTooLarge) {
  Memory memory;
  PdpJob job;
  job.kernelWidth = 9;
  llvm::Error error = runPdp(job, {*findHardwareConfig("nv_small"), memory}, nullptr);
  EXPECT_EQ(llvm::toString(std::move(error)), "pooling has kernel 9 x 1, stride 1 x 1 and padding "
                                              "0 and 0; expects kernels 1 to 8, strides 1 to "
                                              "16, padding 0 to 7");
}

TEST(Rubik, SplitsIntoPlanesAndMergesBack) {
  Memory memory;
  RubikJob job;
  job.mode = RubikJob::Mode::Split;
  job.input = {2, 1, 3};
  job.source = {0x100, Port::Dram, 0x40, 0x40};
  job.target = {0x200, Port::Sram, 0x20, 0};
  job.targetPlaneStride = 0x20;
  memory.load(Port::Dram, 0x100, {1, 2, 3});
  memory.load(Port::Dram, 0x120, {4, 5, 6});
  Machine machine = {*findHardwareConfig("nv_full"), memory};
  ASSERT_FALSE(bool(runRubik(job, machine)));
  EXPECT_EQ(memory.copy(Port::Sram, 0x220, 2), (std::vector<uint8_t>{2, 5}));
  EXPECT_EQ(memory.copy(Port::Dram, 0x220, 2), (std::vector<uint8_t>{0, 0}));
  std::swap(job.source, job.target);
  job.mode = RubikJob::Mode::Merge;
  job.sourcePlaneStride = 0x20;
  job.target.address = 0x300;
  ASSERT_FALSE(bool(runRubik(job, machine)));
  EXPECT_EQ(memory.copy(Port::Dram, 0x320, 3), (std::vector<uint8_t>{4, 5, 6}));
}

TEST(Cube, RefusesSizesOutsideRegisters) {
  Memory memory;
  llvm::Expected<Stream> cube =
      readCube({}, {0, 1, 1}, Precision::Int8, {*findHardwareConfig("nv_small"), memory});
  ASSERT_FALSE(bool(cube));
  EXPECT_EQ(llvm::toString(cube.takeError()),
            "expects a cube with 1 to 8192 elements per dimension, got 0 x 1 x 1");
}

TEST(Memory, CrossesPagesAndCountsWrites) {
  Memory memory;
  memory.write(Port::Dram, 0xfffe, {1, 2, 3, 4});
  EXPECT_EQ(memory.copy(Port::Dram, 0xfffd, 6), (std::vector<uint8_t>{0, 1, 2, 3, 4, 0}));
  EXPECT_EQ(memory.bytesWritten(Port::Dram, 0x10000, 100), 2U);
  memory.load(Port::Dram, 0x10002, {9});
  EXPECT_EQ(memory.bytesWritten(Port::Dram, 0x10002, 1), 0U);
  memory.clear(Port::Dram, 0xffff, 2);
  EXPECT_EQ(memory.copy(Port::Dram, 0xfffe, 4), (std::vector<uint8_t>{1, 0, 0, 4}));
  EXPECT_EQ(memory.crc32(Port::Sram, 0, 0x800), 0xf1e8ba9eU);
}

} // namespace
