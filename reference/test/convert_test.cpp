// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests conversions of whole tensors: each pair of types rounds once and saturates or wraps as
// graph.cast defines it, and long tensors agree with short ones.

#include "reference/Broadcast.h"
#include "reference/Convert.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::reference;

namespace {

constexpr ElementType kNumbers[] = {
    ElementType::F32,      ElementType::F64,        ElementType::F16,    ElementType::BF16,
    ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ, ElementType::F8E5M2, ElementType::F8E5M2FNUZ,
    ElementType::F4E2M1,   ElementType::I8,         ElementType::U8,     ElementType::I16,
    ElementType::U16,      ElementType::I32,        ElementType::U32,    ElementType::I64,
    ElementType::U64,      ElementType::I4,         ElementType::U4,     ElementType::I2,
    ElementType::U2,       ElementType::Bool};

template <typename T>
Tensor one(ElementType type, T value) {
  Tensor tensor(type, {1});
  tensor.mutableData<T>()[0] = value;
  return tensor;
}

// 0 and 1 are values of every type, so every conversion preserves them.
TEST(Convert, EveryPairOfTypesKeepsZeroAndOne) {
  for (ElementType from : kNumbers) {
    for (ElementType to : kNumbers) {
      Tensor source(from, {2});
      source.setInt(1, 1);
      Tensor result = converted(source, to);
      EXPECT_EQ(result.asDouble(0), 0) << name(from).str() << " to " << name(to).str();
      EXPECT_EQ(result.asDouble(1), 1) << name(from).str() << " to " << name(to).str();
    }
  }
}

TEST(Convert, IntegersRoundOnce) {
  // 2^54 + 2^30 is a tie for f32. One more makes it round up; an intermediate double would lose
  // the 1.
  int64_t tie = (int64_t(1) << 54) + (int64_t(1) << 30);
  EXPECT_EQ(converted(one<int64_t>(ElementType::I64, tie), ElementType::F32).data<float>()[0],
            0x1p54f);
  EXPECT_EQ(converted(one<int64_t>(ElementType::I64, tie + 1), ElementType::F32).data<float>()[0],
            0x1.000002p54f);
  int64_t halfTie = (int64_t(1) << 62) + (int64_t(1) << 54);
  EXPECT_EQ(converted(one<int64_t>(ElementType::I64, halfTie), ElementType::BF16).asDouble(0),
            0x1p62);
  EXPECT_EQ(converted(one<int64_t>(ElementType::I64, halfTie + 1), ElementType::BF16).asDouble(0),
            0x1.02p62);
  EXPECT_EQ(converted(one<int64_t>(ElementType::I64, -halfTie - 1), ElementType::BF16).asDouble(0),
            -0x1.02p62);
}

TEST(Convert, FloatsSaturateAndIntegersWrap) {
  EXPECT_EQ(converted(one<float>(ElementType::F32, 300), ElementType::I8).asInt(0), 127);
  EXPECT_EQ(converted(one<int32_t>(ElementType::I32, 300), ElementType::I8).asInt(0), 44);
  EXPECT_EQ(converted(one<float>(ElementType::F32, -9), ElementType::I4).asInt(0), 7);
  EXPECT_EQ(converted(one<int32_t>(ElementType::I32, -9), ElementType::U4).asInt(0), 7);
  EXPECT_EQ(converted(one<uint64_t>(ElementType::U64, ~uint64_t(0)), ElementType::F64).asDouble(0),
            0x1p64);
}

TEST(Convert, SaturateToKnowsTheEdges) {
  EXPECT_EQ(saturateTo<int64_t>(0x1p63), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(saturateTo<int64_t>(-0x1p63), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(saturateTo<uint64_t>(0x1p64), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(saturateTo<uint64_t>(0x1p63), uint64_t(1) << 63);
  EXPECT_EQ(saturateTo<uint8_t>(255.9), 255);
  EXPECT_EQ(saturateTo<uint8_t>(-0.9), 0);
  EXPECT_EQ(saturateTo<int8_t>(-128.9), -128);
  EXPECT_EQ(saturateTo<int32_t>(std::nan("")), 0);
}

TEST(Convert, RangesOfIntegers) {
  EXPECT_EQ(lowestOf(ElementType::I64), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(highestOf(ElementType::U64), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(lowestOf(ElementType::I4), -8);
  EXPECT_EQ(highestOf(ElementType::I4), 7u);
  EXPECT_EQ(lowestOf(ElementType::U2), 0);
  EXPECT_EQ(highestOf(ElementType::U2), 3u);
}

// Longer than the conversion buffer, and not a multiple of it.
TEST(Convert, LongTensorsConvertEveryElement) {
  Tensor source(ElementType::I32, {5000});
  for (int64_t i = 0; i < 5000; ++i) {
    source.mutableData<int32_t>()[i] = static_cast<int32_t>(i * 7 - 9000);
  }
  Tensor result = converted(source, ElementType::F64);
  for (int64_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(result.data<double>()[i], static_cast<double>(i * 7 - 9000));
  }
}

//===-- Broadcasting -----------------------------------------------------------------------===//

/// Returns the operand offset of each element of `common`, in order.
std::vector<int64_t> offsetsOf(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> common) {
  std::vector<int64_t> offsets;
  RowWalk<1> walk(common, {broadcastSteps(shape, common)});
  walk.forEachRow([&](const auto &at, int64_t count, const auto &step) {
    for (int64_t i = 0; i < count; ++i) {
      offsets.push_back(at[0] + i * step[0]);
    }
  });
  return offsets;
}

TEST(Broadcast, RepeatsDimensionsOfOne) {
  EXPECT_EQ(offsetsOf({2, 1, 3}, {2, 2, 3}),
            (std::vector<int64_t>{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(offsetsOf({3}, {2, 3}), (std::vector<int64_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(offsetsOf({2, 1}, {2, 3}), (std::vector<int64_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(offsetsOf({}, {2, 2}), (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(offsetsOf({}, {}), (std::vector<int64_t>{0}));
  EXPECT_TRUE(offsetsOf({1, 3}, {0, 3}).empty());
}

TEST(Broadcast, EvenDimensionsBecomeOneRow) {
  Shape shape = {2, 3, 4};
  RowWalk<2> walk(shape, {broadcastSteps(shape, shape), broadcastSteps({2, 1, 1}, shape)});
  int64_t rows = 0;
  walk.forEachRow([&](const auto &, int64_t count, const auto &) {
    ++rows;
    EXPECT_EQ(count, 12);
  });
  EXPECT_EQ(rows, 2);
}

} // namespace
