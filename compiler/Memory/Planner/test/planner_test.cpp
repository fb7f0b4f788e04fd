// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the planner with several memories. The lit tests of the memory stage cover one memory.

#include "Memory/Planner/Planner.h"
#include <gtest/gtest.h>

using namespace convoy::memory;

namespace {

TEST(Planner, BlocksGoToTheFirstMemoryWithRoom) {
  std::vector<Block> blocks = {{96, 0, 1}, {64, 1, 2}, {32, 1, 2}};
  auto bytes = planMemories(blocks, {{"local", 128, 32}, {"main", 0, 32}});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(blocks[0].space, 0U);
  EXPECT_EQ(blocks[1].space, 1U) << "64 bytes do not fit beside 96 in 128";
  EXPECT_EQ(blocks[2].space, 0U);
  EXPECT_EQ(blocks[2].offset, 96);
  EXPECT_EQ(*bytes, (std::vector<int64_t>{128, 64}));
}

TEST(Planner, ABlockMaySkipTheFirstMemory) {
  std::vector<Block> blocks = {{32, 0, 0}};
  blocks[0].space = 1;
  auto bytes = planMemories(blocks, {{"local", 128, 32}, {"main", 0, 32}});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(blocks[0].space, 1U);
}

TEST(Planner, FailsWhenABlockFitsNowhere) {
  std::vector<Block> blocks = {{129, 0, 0}};
  EXPECT_FALSE(planMemories(blocks, {{"local", 128, 32}}));
  blocks[0].bytes = 128;
  EXPECT_TRUE(planMemories(blocks, {{"local", 128, 32}}));
}

TEST(Planner, ABlockLiesInOneBank) {
  std::vector<Block> blocks = {{48, 0, 0}, {40, 0, 0}};
  auto bytes = planMemories(blocks, {{"banked", 128, 8, 64}});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(blocks[1].offset, 64) << "at 48 it would cross the end of the first bank";
}

TEST(Planner, TimesThatDoNotMeetShareBytes) {
  std::vector<Block> blocks = {{64, 0, 1}, {64, 2, 3}};
  auto bytes = planMemories(blocks, {{"local", 64, 32}});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(blocks[0].offset, blocks[1].offset);
}

} // namespace
