// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the schedules of layers that run row by row, and plans with overlapping blocks. The last
// tests execute random groups in planned memory and check that every read finds the row that it
// expects.

#include "Memory/Planner/Overlaps.h"
#include "Memory/Planner/RowSchedule.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace convoy::memory;

namespace {

constexpr RowWindow kThree = {3, 1, 1}; // 3 x 3 with padding
constexpr RowWindow kHalf = {3, 2, 0};  // 3 x 3 with stride 2, padding behind
constexpr RowWindow kSame = {1, 1, 0};  // pointwise
constexpr RowTensor outside(int64_t rows, int64_t bytes) { return {rows, bytes, true, false}; }
constexpr RowTensor inner(int64_t rows, int64_t bytes) { return {rows, bytes, false, false}; }
constexpr RowTensor kept(int64_t rows, int64_t bytes) { return {rows, bytes, false, true}; }

TEST(RowSchedule, TheRingHasTheRowsOfTheWindow) {
  auto schedule = scheduleRows({outside(8, 4), inner(8, 4), kept(8, 4)},
                               {{1, {{0, kSame}}}, {2, {{1, kThree}}}}, false);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->rings, (std::vector<int64_t>{8, 3, 8}));
  EXPECT_EQ(schedule->paces[0].lag, 0);
  EXPECT_EQ(schedule->paces[1].lag, 1) << "row 0 reads row 1";
  EXPECT_EQ(schedule->rounds, 9);
}

TEST(RowSchedule, AStrideIsAPace) {
  auto schedule = scheduleRows({outside(8, 4), inner(8, 4), inner(4, 4), kept(4, 4)},
                               {{1, {{0, kSame}}}, {2, {{1, kHalf}}}, {3, {{2, kThree}}}}, false);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->paces[1].stride, 2);
  EXPECT_EQ(schedule->paces[1].lag, 2);
  EXPECT_EQ(schedule->paces[2].stride, 2);
  EXPECT_EQ(schedule->paces[2].lag, 4);
  EXPECT_EQ(schedule->rings, (std::vector<int64_t>{8, 3, 3, 4}));
}

TEST(RowSchedule, AResidualKeepsMoreRows) {
  // y = conv(conv(conv(p))) + p: row i of y is computed when p has row i + 3.
  auto schedule = scheduleRows(
      {outside(8, 4), inner(8, 4), inner(8, 4), inner(8, 4), kept(8, 4)},
      {{1, {{0, kSame}}}, {2, {{1, kThree}}}, {3, {{2, kThree}}}, {4, {{3, kThree}, {1, kSame}}}},
      false);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->rings[1], 4) << "rows i to i + 3; without the sum 3 rows";
  EXPECT_EQ(schedule->rings[2], 3);
  EXPECT_EQ(schedule->rings[3], 3);
}

TEST(RowSchedule, APointwiseResultIsOneRowBeforeItsOperand) {
  auto schedule = scheduleRows({outside(8, 16), kept(8, 16)}, {{1, {{0, kSame}}}}, false);
  ASSERT_TRUE(schedule);
  ASSERT_EQ(schedule->overlaps.size(), 1U);
  EXPECT_EQ(schedule->overlaps[0].low, -16);
  EXPECT_EQ(schedule->overlaps[0].high, 8 * 16);
}

TEST(RowSchedule, ADescendingResultIsOneRowBehindItsOperand) {
  auto schedule = scheduleRows({outside(8, 16), kept(8, 16)}, {{1, {{0, kSame}}}}, true);
  ASSERT_TRUE(schedule);
  ASSERT_EQ(schedule->overlaps.size(), 1U);
  EXPECT_EQ(schedule->overlaps[0].low, -8 * 16);
  EXPECT_EQ(schedule->overlaps[0].high, 16);
}

TEST(RowSchedule, ANarrowResultMayStartAfterItsOperand) {
  // Row 0 of the result is written when the operand's row 2 is the first that is still needed.
  auto schedule = scheduleRows({outside(8, 16), inner(8, 4), kept(4, 4)},
                               {{1, {{0, kSame}}}, {2, {{1, kHalf}}}}, false);
  ASSERT_TRUE(schedule);
  ASSERT_EQ(schedule->overlaps.size(), 1U);
  EXPECT_EQ(schedule->overlaps[0].low, 3 * 16 - 4);
}

TEST(RowSchedule, ATensorThatIsReadLaterIsNotOverwritten) {
  RowTensor x = outside(8, 16);
  x.isKept = true;
  auto schedule = scheduleRows({x, kept(8, 16)}, {{1, {{0, kSame}}}}, false);
  ASSERT_TRUE(schedule);
  EXPECT_TRUE(schedule->overlaps.empty());
}

TEST(RowSchedule, PacesThatDisagreeAreRefused) {
  EXPECT_FALSE(scheduleRows({outside(8, 4), inner(8, 4), inner(4, 4), kept(4, 4)},
                            {{1, {{0, kSame}}}, {2, {{0, kHalf}}}, {3, {{1, kSame}, {2, kSame}}}},
                            false));
}

TEST(Overlaps, AResultLiesBeforeItsOperand) {
  std::vector<Block> blocks = {{128, 0, 1}, {128, 1, 2}};
  EXPECT_EQ(planOverlapping(blocks, {{0, 1, -16, 128}}, 4), 144);
  EXPECT_EQ(blocks[0].offset, 16);
  EXPECT_EQ(blocks[1].offset, 0);
}

TEST(Overlaps, OppositeDirectionsDoNotDrift) {
  // Each block overwrites its predecessor; the second one downwards, the third one upwards.
  std::vector<Block> blocks = {{128, 0, 1}, {128, 1, 2}, {128, 2, 3}};
  EXPECT_EQ(planOverlapping(blocks, {{0, 1, -16, 128}, {1, 2, -128, 16}}, 4), 144);
}

TEST(Overlaps, AlignmentNeverShortensTheDistance) {
  std::vector<Block> blocks = {{128, 0, 1}, {128, 1, 2}};
  EXPECT_EQ(planOverlapping(blocks, {{0, 1, -18, 128}}, 8), 128 + 24);
}

TEST(Overlaps, OtherBlocksDoNotShareBytes) {
  std::vector<Block> blocks = {{128, 0, 1}, {128, 1, 2}, {64, 1, 1}};
  EXPECT_EQ(planOverlapping(blocks, {{0, 1, -16, 128}}, 16), 144 + 64);
}

TEST(Overlaps, NoBlocks) {
  std::vector<Block> blocks;
  EXPECT_EQ(planOverlapping(blocks, {}, 16), 0);
}

/// A group of layers with random windows and residuals.
struct Group {
  std::vector<RowTensor> tensors;
  std::vector<RowLayer> layers;
};

Group randomGroup(std::mt19937 &random) {
  auto upTo = [&](int64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  Group group;
  group.tensors.push_back(outside(4 + upTo(12), 1 + upTo(9)));
  int64_t layers = 1 + upTo(4);
  for (int64_t i = 0; i < layers; ++i) {
    size_t from = group.tensors.size() - 1;
    int64_t size = 1 + upTo(3);
    int64_t stride = 1 + upTo(1);
    RowWindow window = {size, stride, upTo(size - 1)};
    int64_t behind = upTo(size - 1);
    int64_t padded = group.tensors[from].rows + window.padBefore + behind;
    if (padded < size) {
      break;
    }
    RowTensor result = inner((padded - size) / stride + 1, 1 + upTo(9));
    RowLayer layer = {group.tensors.size(), {{from, window}}};
    for (size_t other = 0; other < from; ++other) {
      if (group.tensors[other].rows == result.rows && upTo(1) == 1) {
        layer.reads.push_back({other, kSame});
      }
    }
    group.tensors.push_back(result);
    group.layers.push_back(layer);
  }
  if (group.layers.empty()) {
    group.tensors.push_back(inner(group.tensors[0].rows, 3));
    group.layers.push_back({1, {{0, kSame}}});
  }
  group.tensors.back().isKept = true;
  group.tensors.front().isKept = upTo(3) == 0;
  return group;
}

/// Memory in which every byte knows the tensor and the row that wrote it.
class TaggedMemory {
public:
  TaggedMemory(const Group &group, const RowSchedule &schedule, const std::vector<Block> &blocks,
               bool isDescending)
      : group(group), schedule(schedule), blocks(blocks), isDescending(isDescending) {}

  /// Rows are counted from the last row if the schedule is descending.
  void write(size_t tensor, int64_t row) {
    for (int64_t i = 0; i < group.tensors[tensor].rowBytes; ++i) {
      bytes[addressOf(tensor, row) + i] = {tensor, row};
    }
  }

  bool holds(size_t tensor, int64_t row) const {
    for (int64_t i = 0; i < group.tensors[tensor].rowBytes; ++i) {
      auto found = bytes.find(addressOf(tensor, row) + i);
      if (found == bytes.end() || found->second != std::pair(tensor, row)) {
        return false;
      }
    }
    return true;
  }

private:
  int64_t addressOf(size_t tensor, int64_t row) const {
    row = isDescending ? group.tensors[tensor].rows - 1 - row : row;
    return blocks[tensor].offset + row % schedule.rings[tensor] * group.tensors[tensor].rowBytes;
  }

  const Group &group;
  const RowSchedule &schedule;
  const std::vector<Block> &blocks;
  bool isDescending;
  std::map<int64_t, std::pair<size_t, int64_t>> bytes;
};

/// Executes the rounds. Returns whether every read found its row and every kept row is left.
bool executes(const Group &group, const RowSchedule &schedule, const std::vector<Block> &blocks,
              bool isDescending) {
  TaggedMemory memory(group, schedule, blocks, isDescending);
  for (int64_t row = 0; row < group.tensors[0].rows; ++row) {
    memory.write(0, row);
  }
  std::vector<int64_t> done(group.tensors.size(), 0);
  for (int64_t round = 0; round < schedule.rounds; ++round) {
    for (size_t i = 0; i < group.layers.size(); ++i) {
      const RowLayer &layer = group.layers[i];
      int64_t since = round - schedule.paces[i].lag;
      if (since < 0 || since % schedule.paces[i].stride != 0 ||
          since / schedule.paces[i].stride >= group.tensors[layer.result].rows) {
        continue;
      }
      int64_t row = since / schedule.paces[i].stride;
      EXPECT_EQ(row, done[layer.result]++);
      // A kernel may write its row before it has read all operands.
      memory.write(layer.result, row);
      for (const RowLayer::Read &read : layer.reads) {
        int64_t all = group.tensors[read.tensor].rows;
        int64_t own = isDescending ? group.tensors[layer.result].rows - 1 - row : row;
        int64_t first = own * read.window.stride - read.window.padBefore;
        int64_t end = std::min(first + read.window.size, all);
        for (int64_t r = std::max<int64_t>(first, 0); r < end; ++r) {
          if (!memory.holds(read.tensor, isDescending ? all - 1 - r : r)) {
            return false;
          }
        }
      }
    }
  }
  for (size_t tensor = 0; tensor < group.tensors.size(); ++tensor) {
    for (int64_t row = 0; group.tensors[tensor].isKept && row < group.tensors[tensor].rows; ++row) {
      if (!memory.holds(tensor, row)) {
        return false;
      }
    }
  }
  return true;
}

/// Returns the blocks of a group in planned memory.
std::vector<Block> planOf(const Group &group, const RowSchedule &schedule, int64_t slack) {
  std::vector<Block> blocks;
  for (size_t i = 0; i < group.tensors.size(); ++i) {
    blocks.push_back({schedule.rings[i] * group.tensors[i].rowBytes, 0, 0});
  }
  std::vector<Overlap> overlaps;
  for (const RowOverlap &overlap : schedule.overlaps) {
    overlaps.push_back(
        {overlap.operand, overlap.result, overlap.low + slack, overlap.high - slack});
  }
  planOverlapping(blocks, overlaps, 1);
  return blocks;
}

TEST(RowSchedule, RandomGroupsFindTheirRowsInPlannedMemory) {
  std::mt19937 random(7);
  int overlapping = 0;
  for (int i = 0; i < 2000; ++i) {
    Group group = randomGroup(random);
    std::optional<RowSchedule> schedule = scheduleRows(group.tensors, group.layers, i % 2 == 1);
    if (!schedule) {
      continue;
    }
    EXPECT_TRUE(executes(group, *schedule, planOf(group, *schedule, 0), i % 2 == 1))
        << "group " << i;
    overlapping += schedule->overlaps.empty() ? 0 : 1;
  }
  EXPECT_GT(overlapping, 1000);
}

TEST(RowSchedule, OneByteOrOneRowLessIsTooLittle) {
  std::mt19937 random(7);
  int brokenByDistance = 0;
  int brokenByRing = 0;
  for (int i = 0; i < 500; ++i) {
    Group group = randomGroup(random);
    std::optional<RowSchedule> schedule = scheduleRows(group.tensors, group.layers, i % 2 == 1);
    if (!schedule) {
      continue;
    }
    brokenByDistance += executes(group, *schedule, planOf(group, *schedule, 1), i % 2 == 1) ? 0 : 1;
    for (size_t tensor = 0; tensor < group.tensors.size(); ++tensor) {
      RowSchedule tight = *schedule;
      if (tight.rings[tensor] > 1 && !group.tensors[tensor].isOutside) {
        --tight.rings[tensor];
        std::vector<Block> blocks = planOf(group, *schedule, 0);
        EXPECT_FALSE(executes(group, tight, blocks, i % 2 == 1))
            << "group " << i << " tensor " << tensor;
        ++brokenByRing;
      }
    }
  }
  EXPECT_GT(brokenByDistance, 100);
  EXPECT_GT(brokenByRing, 100);
}

} // namespace
