// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the times of networks by two models: NVIDIA's spreadsheet against the times it states, and
// Convoy's stripe model against figures computed by hand.

#include "Accelerators/NVDLA/Cycles/CycleModel.h"
#include "Accelerators/NVDLA/Cycles/Spreadsheet.h"
#include <gtest/gtest.h>

using namespace convoy::nvdla;

namespace {

using Layer = SpreadsheetLayer;

double milliseconds(const std::vector<Layer> &layers) {
  double cycles = 0;
  for (const Layer &layer : layers) {
    cycles += layer.count * spreadsheetCycles(layer).total();
  }
  return cycles / 1e6; // at 1 GHz
}

const std::vector<Layer> &alexNet() {
  static const std::vector<Layer> layers = {
      // channels, side, kernels, kernel, stride, padded, side of the output, count, batch
      {3, 224, 96, 11, 4, false, 27},        {48, 27, 128, 5, 1, true, 13, 2},
      {256, 13, 384, 3, 1, true, 13},        {192, 13, 192, 3, 1, true, 13, 2},
      {192, 13, 128, 3, 1, true, 6, 2},      {9216, 1, 4096, 1, 1, true, 1, 1, 16},
      {4096, 1, 4096, 1, 1, true, 1, 1, 16}, {4096, 1, 1000, 1, 1, true, 1, 1, 16},
  };
  return layers;
}

TEST(Spreadsheet, GivesAlexNetLayerByLayer) {
  struct Row {
    double mac, dram;
  };
  // Cycles of MAC and of DRAM, as the spreadsheet states them.
  constexpr Row kRows[] = {{49617, 25585}, {54675, 20530},  {32448, 164163}, {12168, 63938},
                           {8112, 42019},  {18432, 231700}, {8192, 103200},  {2000, 25499}};
  for (size_t i = 0; i < std::size(kRows); ++i) {
    SpreadsheetCycles cycles = spreadsheetCycles(alexNet()[i]);
    EXPECT_NEAR(cycles.mac, kRows[i].mac, 1) << "layer " << i;
    EXPECT_NEAR(cycles.dram, kRows[i].dram, 1) << "layer " << i;
  }
  EXPECT_NEAR(milliseconds(alexNet()), 0.895, 0.001);
}

/// The four 1 x 1 convolutions at the start of a module read its input once.
TEST(Spreadsheet, GivesGoogLeNetWithinFivePercent) {
  struct Module {
    uint32_t side, channels, direct, reduce3, out3, reduce5, out5, pool, outSide;
  };
  constexpr Module kModules[] = {
      {28, 192, 64, 96, 128, 16, 32, 32, 28},    {28, 256, 128, 128, 192, 32, 96, 64, 14},
      {14, 480, 192, 96, 208, 16, 48, 64, 14},   {14, 512, 160, 112, 224, 24, 64, 64, 14},
      {14, 512, 128, 128, 256, 24, 64, 64, 14},  {14, 512, 112, 144, 288, 32, 64, 64, 14},
      {14, 528, 256, 160, 320, 32, 128, 128, 7}, {7, 832, 256, 160, 320, 32, 128, 128, 7},
      {7, 832, 384, 192, 384, 48, 128, 128, 7},
  };
  std::vector<Layer> layers = {{3, 224, 64, 7, 2, true, 56},
                               {64, 56, 64, 1, 1, true, 56},
                               {64, 56, 192, 3, 1, true, 28},
                               {1024, 1, 1000, 1, 1, true, 1, 1, 16}};
  for (const Module &m : kModules) {
    Layer first = {m.channels, m.side,   m.direct + m.reduce3 + m.reduce5 + m.pool, 1, 1,
                   true,       m.outSide};
    first.unpooledKernels = m.reduce3 + m.reduce5;
    layers.push_back(first);
    layers.push_back({m.reduce3, m.side, m.out3, 3, 1, true, m.outSide});
    layers.push_back({m.reduce5, m.side, m.out5, 5, 1, true, m.outSide});
  }
  EXPECT_NEAR(milliseconds(layers), 1.222, 0.05 * 1.222);
}

TEST(Spreadsheet, GivesResNet50WithinFivePercent) {
  struct Stage {
    uint32_t width, blocks;
  };
  std::vector<Layer> layers = {{3, 224, 64, 7, 2, true, 56}};
  uint32_t channels = 64, side = 56;
  for (const Stage &stage : {Stage{64, 3}, {128, 4}, {256, 6}, {512, 3}}) {
    for (uint32_t block = 0; block < stage.blocks; ++block) {
      uint32_t stride = block == 0 && stage.width > 64 ? 2 : 1, out = side / stride;
      if (block == 0) {
        layers.push_back({channels, side, 4 * stage.width, 1, stride, true, out});
      }
      layers.push_back({channels, side, stage.width, 1, stride, true, out});
      layers.push_back({stage.width, out, stage.width, 3, 1, true, out});
      Layer last = {stage.width, out, 4 * stage.width, 1, 1, true, out};
      last.isElementwise = true;
      layers.push_back(last);
      channels = 4 * stage.width;
      side = out;
    }
  }
  layers.push_back({2048, 1, 1000, 1, 1, true, 1, 1, 16});
  EXPECT_NEAR(milliseconds(layers), 7.114, 0.05 * 7.114);
}

ConvJob makeConv(CubeSize input, CubeSize kernel, uint32_t kernels, uint32_t out) {
  ConvJob job;
  job.precision = job.inPrecision = Precision::Fp16;
  job.input = input;
  job.kernel = kernel;
  job.kernels = kernels;
  job.outWidth = job.outHeight = out;
  return job;
}

TEST(Cycles, FollowStripes) {
  const HardwareConfig &full = *findHardwareConfig("nv_full");
  // LeNet in fp16, with an image as input: 5760 + 6400 + 8192 + 128.
  ConvJob image = makeConv({28, 28, 1}, {1, 5, 5}, 20, 24);
  image.isImage = true;
  EXPECT_EQ(convolutionCycles(image, full), 5760U);
  EXPECT_EQ(convolutionCycles(makeConv({12, 12, 20}, {5, 5, 20}, 50, 8), full), 6400U);
  EXPECT_EQ(convolutionCycles(makeConv({4, 4, 50}, {4, 4, 50}, 500, 1), full), 8192U);
  EXPECT_EQ(convolutionCycles(makeConv({1, 1, 500}, {1, 1, 500}, 10, 1), full), 128U);
}

TEST(Cycles, TakeTilesOfFourChannels) {
  const HardwareConfig &full = *findHardwareConfig("nv_full");
  ConvJob job = makeConv({56, 56, 64}, {3, 3, 64}, 64, 56);
  uint64_t direct = convolutionCycles(job, full);
  EXPECT_EQ(direct, 4U * 9 * 56 * 56);
  job.isWinograd = true;
  job.kernel = {4, 4, 64};
  EXPECT_EQ(convolutionCycles(job, full), 4U * 16 * 28 * 28); // 9 / 4 times as fast
}

/// nv_large loads a weight set in 32 cycles. Its stripes have 64 elements, and 32 near the end.
TEST(Cycles, GrowStripesWithTheCells) {
  const HardwareConfig &large = *findHardwareConfig("nv_large");
  ConvJob job = makeConv({14, 14, 64}, {1, 1, 64}, 32, 14);
  job.precision = job.inPrecision = Precision::Int8;
  EXPECT_EQ(convolutionCycles(job, large), 196U); // 64, 64, 32, 36
  job.outWidth = job.outHeight = 4;
  EXPECT_EQ(convolutionCycles(job, large), 32U); // waits for the next weights
}

TEST(Cycles, NameThePaceAndTheStalls) {
  const HardwareConfig &small = *findHardwareConfig("nv_small");
  FusedJob job;
  job.conv = makeConv({1, 1, 512}, {1, 1, 512}, 512, 1);
  job.conv->precision = job.conv->inPrecision = Precision::Int8;
  job.sdp = SdpJob();
  job.sdp->isFromConv = true;
  job.sdp->size = {1, 1, 512};
  LayerCycles layer = estimateCycles(job, small);
  EXPECT_EQ(layer.units, "CONV+SDP");
  EXPECT_EQ(layer.macs, 512U * 512);
  // A weight set of 64 bytes takes 8 cycles to load for one output: 64 groups of 64 blocks.
  EXPECT_EQ(layer.macCycles, 64U * 64 * 8);
  EXPECT_EQ(layer.weightLoadCycles, 64U * 64 * 7);
  EXPECT_EQ(layer.weightBytes, 512U * 512);
  EXPECT_EQ(layer.dramCycles, (512U * 512 + 512 + 512) / 8);
  EXPECT_STREQ(layer.bound, "DRAM");
  EXPECT_EQ(layer.totalCycles, 64 + layer.dramCycles);
  EXPECT_EQ(layer.stallCycles, layer.totalCycles - layer.macCycles);
  EXPECT_NEAR(macUtilization(layer, small, Precision::Int8), 0.124, 0.001);
  MemoryRates fast = {1000, 1000};
  EXPECT_STREQ(estimateCycles(job, small, fast).bound, "MAC");
}

} // namespace
