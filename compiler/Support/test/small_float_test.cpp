// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests narrow floats against the tables of their formats, and element access of Tensor. The tests
// visit every encoding of every type.

#include "Support/SmallFloat.h"
#include "Support/Tensor.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace convoy;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

constexpr ElementType kSignedTypes[] = {
    ElementType::F16,    ElementType::BF16,       ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ,
    ElementType::F8E5M2, ElementType::F8E5M2FNUZ, ElementType::F4E2M1};

/// Returns the number of encodings of positive values, from zero to the largest finite value.
int finiteEncodings(ElementType type) {
  int count = 0;
  while (count < 1 << (bitWidth(type) - 1) && std::isfinite(widenFloat(count, type))) {
    ++count;
  }
  return count;
}

struct Encoding {
  ElementType type;
  uint16_t bits;
  float value;
};

// Largest, smallest normal, smallest subnormal and special values, from the definitions of the
// formats (IEEE 754, OCP 8-bit and microscaling formats, ONNX).
constexpr Encoding kEncodings[] = {
    {ElementType::F16, 0x3c00, 1},
    {ElementType::F16, 0x7bff, 65504},
    {ElementType::F16, 0x0400, 0x1p-14f},
    {ElementType::F16, 0x0001, 0x1p-24f},
    {ElementType::F16, 0xc000, -2},
    {ElementType::F16, 0x7c00, kInfinity},
    {ElementType::F16, 0xfc00, -kInfinity},
    {ElementType::BF16, 0x3f80, 1},
    {ElementType::BF16, 0x7f7f, 0x1.fep127f},
    {ElementType::BF16, 0x0080, 0x1p-126f},
    {ElementType::BF16, 0x0001, 0x1p-133f},
    {ElementType::BF16, 0x7f80, kInfinity},
    {ElementType::F8E4M3FN, 0x38, 1},
    {ElementType::F8E4M3FN, 0x7e, 448},
    {ElementType::F8E4M3FN, 0x08, 0x1p-6f},
    {ElementType::F8E4M3FN, 0x01, 0x1p-9f},
    {ElementType::F8E4M3FN, 0x7f, kNaN},
    {ElementType::F8E4M3FN, 0xff, kNaN},
    {ElementType::F8E4M3FNUZ, 0x40, 1},
    {ElementType::F8E4M3FNUZ, 0x7f, 240},
    {ElementType::F8E4M3FNUZ, 0x08, 0x1p-7f},
    {ElementType::F8E4M3FNUZ, 0x01, 0x1p-10f},
    {ElementType::F8E4M3FNUZ, 0x80, kNaN},
    {ElementType::F8E5M2, 0x3c, 1},
    {ElementType::F8E5M2, 0x7b, 57344},
    {ElementType::F8E5M2, 0x04, 0x1p-14f},
    {ElementType::F8E5M2, 0x01, 0x1p-16f},
    {ElementType::F8E5M2, 0x7c, kInfinity},
    {ElementType::F8E5M2, 0x7f, kNaN},
    {ElementType::F8E5M2FNUZ, 0x40, 1},
    {ElementType::F8E5M2FNUZ, 0x7f, 57344},
    {ElementType::F8E5M2FNUZ, 0x04, 0x1p-15f},
    {ElementType::F8E5M2FNUZ, 0x01, 0x1p-17f},
    {ElementType::F8E5M2FNUZ, 0x80, kNaN},
    {ElementType::F8E8M0, 0x00, 0x1p-127f},
    {ElementType::F8E8M0, 0x7f, 1},
    {ElementType::F8E8M0, 0xfe, 0x1p127f},
    {ElementType::F8E8M0, 0xff, kNaN},
};

TEST(SmallFloat, WidensLandmarks) {
  for (const Encoding &e : kEncodings) {
    SCOPED_TRACE(name(e.type).str() + " " + std::to_string(e.bits));
    float value = widenFloat(e.bits, e.type);
    if (std::isnan(e.value)) {
      EXPECT_TRUE(std::isnan(value));
    } else {
      EXPECT_EQ(value, e.value);
    }
  }
}

TEST(SmallFloat, WidensEveryFloat4) {
  const float kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int bits = 0; bits < 16; ++bits) {
    float expected = bits < 8 ? kValues[bits] : -kValues[bits - 8];
    EXPECT_EQ(widenFloat(bits, ElementType::F4E2M1), expected) << bits;
    EXPECT_EQ(std::signbit(widenFloat(bits, ElementType::F4E2M1)), bits >= 8) << bits;
  }
}

TEST(SmallFloat, EveryEncodingSurvivesARoundTrip) {
  for (ElementType type : kSignedTypes) {
    for (int bits = 0; bits < 1 << bitWidth(type); ++bits) {
      float value = widenFloat(bits, type);
      uint16_t back = narrowFloat(value, type, Overflow::ToNonFinite);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(widenFloat(back, type))) << name(type).str() << " " << bits;
      } else {
        EXPECT_EQ(back, bits) << name(type).str();
      }
    }
  }
}

TEST(SmallFloat, RoundsToNearestTiesToEven) {
  for (ElementType type : kSignedTypes) {
    int count = finiteEncodings(type);
    for (int bits = 0; bits + 1 < count; ++bits) {
      double low = widenFloat(bits, type);
      double high = widenFloat(bits + 1, type);
      double middle = (low + high) / 2; // exact in double
      double below = std::nextafter(middle, 0);
      double above = std::nextafter(middle, HUGE_VAL);
      int even = bits % 2 == 0 ? bits : bits + 1;
      ASSERT_EQ(narrowFloat(middle, type), even) << name(type).str() << " " << middle;
      ASSERT_EQ(narrowFloat(below, type), bits) << name(type).str() << " " << below;
      ASSERT_EQ(narrowFloat(above, type), bits + 1) << name(type).str() << " " << above;
      ASSERT_EQ(widenFloat(narrowFloat(-above, type), type), -widenFloat(bits + 1, type));
    }
  }
}

struct OverflowRow {
  ElementType type;
  double largest;
  float saturated;
  float otherwise; // positive; the sign of NaN is not checked
};

constexpr OverflowRow kOverflow[] = {
    {ElementType::F16, 65504, kInfinity, kInfinity}, // IEEE 754, whatever ONNX's saturate is
    {ElementType::BF16, 0x1.fep127, kInfinity, kInfinity},
    {ElementType::F8E4M3FN, 448, 448, kNaN},
    {ElementType::F8E4M3FNUZ, 240, 240, kNaN},
    {ElementType::F8E5M2, 57344, 57344, kInfinity},
    {ElementType::F8E5M2FNUZ, 57344, 57344, kNaN},
    {ElementType::F4E2M1, 6, 6, 6}, // has no encoding above its largest value
};

TEST(SmallFloat, OverflowFollowsOnnx) {
  for (const OverflowRow &row : kOverflow) {
    SCOPED_TRACE(name(row.type).str());
    for (double value : {row.largest * 2, 1e300, double(kInfinity)}) {
      for (double sign : {1.0, -1.0}) {
        float saturated = widenFloat(narrowFloat(sign * value, row.type), row.type);
        EXPECT_EQ(saturated, sign * row.saturated);
        float other =
            widenFloat(narrowFloat(sign * value, row.type, Overflow::ToNonFinite), row.type);
        if (std::isnan(row.otherwise)) {
          EXPECT_TRUE(std::isnan(other));
        } else {
          EXPECT_EQ(other, sign * row.otherwise);
        }
      }
    }
    // Rounding down to the largest value is not an overflow.
    EXPECT_EQ(
        widenFloat(narrowFloat(row.largest * 1.0001, row.type, Overflow::ToNonFinite), row.type),
        static_cast<float>(row.largest));
  }
}

TEST(SmallFloat, NaNStaysNaNWhereThereIsOne) {
  for (ElementType type : kSignedTypes) {
    float value = widenFloat(narrowFloat(kNaN, type), type);
    EXPECT_EQ(std::isnan(value), type != ElementType::F4E2M1) << name(type).str();
  }
}

TEST(SmallFloat, TypesWithoutNegativeZeroHaveNone) {
  EXPECT_EQ(narrowFloat(-0.0, ElementType::F8E4M3FNUZ), 0);
  EXPECT_EQ(narrowFloat(-1e-9, ElementType::F8E5M2FNUZ), 0);
  EXPECT_EQ(narrowFloat(-0.0, ElementType::F8E4M3FN), 0x80);
  EXPECT_EQ(narrowFloat(-0.0, ElementType::F16), 0x8000);
}

struct PowerRow {
  double value;
  int up, down, nearest;
};

constexpr PowerRow kPowers[] = {
    {1, 127, 127, 127},       {1.1, 128, 127, 127}, {1.5, 128, 127, 128}, {0.124, 124, 123, 124},
    {0x1p127, 254, 254, 254}, {0, 0, 0, 0},         {-2, 128, 128, 128},  {0x1p-140, 0, 0, 0},
};

TEST(SmallFloat, PowersOfTwoRoundAsAsked) {
  for (const PowerRow &row : kPowers) {
    auto narrow = [&](PowerRounding rounding) {
      return narrowFloat(row.value, ElementType::F8E8M0, Overflow::Saturate, rounding);
    };
    EXPECT_EQ(narrow(PowerRounding::Up), row.up) << row.value;
    EXPECT_EQ(narrow(PowerRounding::Down), row.down) << row.value;
    EXPECT_EQ(narrow(PowerRounding::Nearest), row.nearest) << row.value;
  }
  EXPECT_EQ(narrowFloat(kNaN, ElementType::F8E8M0), 255);
  EXPECT_EQ(narrowFloat(1e300, ElementType::F8E8M0), 254);
  EXPECT_EQ(narrowFloat(1e300, ElementType::F8E8M0, Overflow::ToNonFinite), 255);
}

//===-- Tensor -----------------------------------------------------------------------------===//

TEST(Tensor, StoringAFloatTruncatesAndSaturates) {
  struct Row {
    ElementType type;
    double stored;
    int64_t expected;
  };
  const Row kRows[] = {
      {ElementType::I8, 1.9, 1},
      {ElementType::I8, -1.9, -1},
      {ElementType::I8, 300, 127},
      {ElementType::I8, -300, -128},
      {ElementType::U8, -1, 0},
      {ElementType::U16, 1e9, 65535},
      {ElementType::I32, 1e300, std::numeric_limits<int32_t>::max()},
      {ElementType::I64, -1e300, std::numeric_limits<int64_t>::min()},
      {ElementType::U64, -5, 0},
      {ElementType::U64, 1e300, -1}, // all bits set
      {ElementType::U64, 0x1p63, std::numeric_limits<int64_t>::min()},
      {ElementType::I32, kNaN, 0},
      {ElementType::Bool, 0.25, 1},
      {ElementType::I4, 9, -7}, // narrow integers keep the low bits
      {ElementType::U4, -1, 15},
      {ElementType::I2, 2, -2},
      {ElementType::U2, 7, 3},
  };
  for (const Row &row : kRows) {
    Tensor tensor(row.type, {1});
    tensor.setDouble(0, row.stored);
    EXPECT_EQ(tensor.asInt(0), row.expected) << name(row.type).str() << " " << row.stored;
  }
}

TEST(Tensor, StoringAnIntegerWraps) {
  Tensor bytes(ElementType::I8, {1});
  bytes.setInt(0, 200);
  EXPECT_EQ(bytes.asInt(0), -56);
  Tensor nibbles(ElementType::I4, {1});
  nibbles.setInt(0, 8);
  EXPECT_EQ(nibbles.asInt(0), -8);
  Tensor halves(ElementType::F16, {1});
  halves.setInt(0, 2049); // a tie between 2048 and 2050
  EXPECT_EQ(halves.asDouble(0), 2048);
}

TEST(Tensor, TheFirstWriterOfSharedBytesGetsItsOwn) {
  Tensor original = Tensor::vector({1, 2, 3});
  Tensor copy = original;
  EXPECT_EQ(copy.raw(), original.raw());
  copy.setInt(0, 9);
  EXPECT_EQ(original.asInt(0), 1);
  EXPECT_EQ(copy.asInt(0), 9);
}

TEST(Tensor, CountsElementsWithoutOverflow) {
  EXPECT_EQ(elementCount({2, 3, 4}), 24);
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({int64_t(1) << 40, 0}), 0);
  EXPECT_EQ(elementCount({int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  EXPECT_EQ(elementCount({2, -1}), std::nullopt);
}

} // namespace
