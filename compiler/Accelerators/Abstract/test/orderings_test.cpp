// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that the published orderings of such devices on MobileNetV1 hold, and that tiling along
// rows and columns is faster than the published tiling.

#include "Harness.h"

#include <gtest/gtest.h>

namespace convoy::abstract::test {
namespace {

constexpr uint32_t kKiB = 1024;
constexpr uint32_t kSmall = 512 * kKiB;
constexpr uint32_t kMiddle = 1024 * kKiB;
constexpr uint32_t kLarge = 256 * 1024 * kKiB; // large enough that no layer needs a tile
constexpr uint32_t kIn = CONVOY_ABSTRACT_INPUT_PARALLEL;
constexpr uint32_t kOut = CONVOY_ABSTRACT_OUTPUT_PARALLEL;
constexpr uint32_t kChannels = CONVOY_ABSTRACT_TILE_CHANNELS;

uint64_t cyclesOf(uint32_t pes, uint32_t memory, uint32_t parallel, Depthwise depthwise,
                  uint32_t tiling) {
  Parameters parameters = defaultParameters();
  parameters.device.pes = pes;
  parameters.device.memory_bytes = memory;
  parameters.device.parallel = parallel;
  parameters.device.depthwise = depthwise == Depthwise::Native;
  parameters.options.tiling = tiling;
  Outcome outcome = measure(parameters, makeMobileNet(depthwise != Depthwise::None));
  EXPECT_EQ(outcome.code, 0) << convoy_abstract_text(outcome.code);
  EXPECT_GT(outcome.total.cycles, 0u);
  return outcome.total.cycles;
}

constexpr Depthwise kKinds[] = {Depthwise::None, Depthwise::Mapped, Depthwise::Native};

TEST(Orderings, OutputParallelWinsWithoutTiling) {
  for (uint32_t pes : {64, 128}) {
    for (Depthwise kind : kKinds) {
      EXPECT_LT(cyclesOf(pes, kLarge, kOut, kind, kChannels),
                cyclesOf(pes, kLarge, kIn, kind, kChannels));
    }
  }
}

TEST(Orderings, InputParallelWinsUnderChannelTiling) {
  for (uint32_t pes : {64, 128}) {
    for (Depthwise kind : kKinds) {
      EXPECT_LT(cyclesOf(pes, kSmall, kIn, kind, kChannels),
                cyclesOf(pes, kSmall, kOut, kind, kChannels));
    }
  }
}

TEST(Orderings, MorePesBeatMoreMemory) {
  for (uint32_t parallel : {kIn, kOut}) {
    EXPECT_LT(cyclesOf(128, kMiddle, parallel, Depthwise::Native, kChannels),
              cyclesOf(64, kLarge, parallel, Depthwise::Native, kChannels));
  }
}

TEST(Orderings, NativeDepthwiseBeatsMapped) {
  for (uint32_t pes : {64, 128}) {
    for (uint32_t memory : {kSmall, kMiddle, kLarge}) {
      for (uint32_t parallel : {kIn, kOut}) {
        EXPECT_LT(cyclesOf(pes, memory, parallel, Depthwise::Native, kChannels),
                  cyclesOf(pes, memory, parallel, Depthwise::Mapped, kChannels));
      }
    }
  }
}

TEST(Orderings, RowsAndColumnsCutAQuarterOfTheCycles) {
  for (uint32_t pes : {64, 128}) {
    uint64_t channels = cyclesOf(pes, kSmall, kOut, Depthwise::Native, kChannels);
    uint64_t all = cyclesOf(pes, kSmall, kOut, Depthwise::Native, CONVOY_ABSTRACT_TILE_ALL);
    EXPECT_LE(static_cast<double>(all), 0.75 * static_cast<double>(channels)) << pes << " PEs";
  }
}

} // namespace
} // namespace convoy::abstract::test
