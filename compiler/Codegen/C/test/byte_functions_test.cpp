// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the plain bodies of byte functions with the arithmetic of the graph dialect on random
// numbers. Tests in tests/models/micro compare the other bodies with the reference.

#include "Codegen/C/test/RandomBytes.h"
#include "Graph/RoundingShift.h"
#include "Kernels/ConvBytes/ByteGroups.h"
#include <algorithm>
#include <byte_add.h>
#include <byte_extend.h>
#include <byte_product.h>
#include <byte_product_max.h>

using namespace convoy;

namespace {

constexpr graph::ShiftRounding kRoundings[] = {
    graph::ShiftRounding::HalfAway, graph::ShiftRounding::HalfUp, graph::ShiftRounding::HalfEven};

struct ByteFunctionsTest : codegen::test::RandomBytesTest {
  static uint8_t byteOf(const graph::Requantizer &rescale, int64_t product, int64_t shift) {
    return static_cast<uint8_t>(rescale(product, shift));
  }
};

TEST_F(ByteFunctionsTest, RescalesLikeRequantize) {
  for (int round = 0; round < 200000; ++round) {
    graph::ShiftRounding rounding = kRoundings[round % 3];
    int64_t sum = pick(INT32_MIN, INT32_MAX) >> pick(0, 30);
    int64_t multiplier = round % 2 == 0 ? pick(0, INT32_MAX) : int64_t(1) << pick(0, 30);
    int64_t shift = pick(32, 62), zero = pick(-128, 127), low = pick(-128, 0);
    graph::Requantizer rescale{zero, low, 100, rounding};
    convoy_byte_range range = {static_cast<int32_t>(zero), static_cast<int32_t>(low), 100,
                               static_cast<int32_t>(rounding)};
    ASSERT_EQ(convoy_byte_rescale(static_cast<int32_t>(sum), static_cast<int32_t>(multiplier),
                                  static_cast<int32_t>(31 - shift), range),
              byteOf(rescale, sum * multiplier, shift))
        << sum << " * " << multiplier << " >> " << shift;
    if (rounding == graph::ShiftRounding::HalfUp && std::abs(sum) < (int64_t(1) << 31) - 512) {
      ASSERT_EQ(convoy_byte_rescale_up(static_cast<int32_t>(sum), static_cast<int32_t>(multiplier),
                                       static_cast<int32_t>(31 - shift), range),
                byteOf(rescale, sum * multiplier, shift))
          << sum << " * " << multiplier << " >> " << shift;
    }
  }
}

TEST_F(ByteFunctionsTest, AddsLikeIntegerAdd) {
  for (int round = 0; round < 2000; ++round) {
    graph::ShiftRounding rounding = kRoundings[round % 3];
    auto left = static_cast<int32_t>(pick(-(1 << 21), 1 << 21));
    auto right = static_cast<int32_t>(round % 2 == 0 ? 1 << pick(0, 20) : pick(0, 1 << 21));
    auto shift = static_cast<int32_t>(pick(1, 30)), start = static_cast<int32_t>(pick(-99, 99));
    std::vector<uint8_t> a = bytes(7), b = bytes(7), expected;
    graph::Requantizer rescale{-3, -128, 127, rounding};
    for (int i = 0; i < 7; ++i) {
      int64_t sum = start + int64_t(left) * int8_t(a[i]) + int64_t(right) * int8_t(b[i]);
      expected.push_back(byteOf(rescale, sum, shift));
    }
    convoy_byte_add(a.data(), b.data(), a.data(), 7, left, right, start, shift, -3, -128, 127,
                    static_cast<int32_t>(rounding));
    ASSERT_EQ(a, expected);
  }
}

/// The zero point of the input of products.
constexpr int32_t kInputZero = -7;

/// A product of pixels with steps between them, with and without corrections. The weights have no
/// zero points, one or one per channel (`zeroStep`).
struct Product {
  int64_t pixels, depth, channels, step, first, zeroStep;
  std::vector<uint8_t> x, w;
  std::vector<uint32_t> bias, multiplier, shift, zeros;

  int64_t sum(int64_t pixel, int64_t o) const {
    kernels::ByteGroups groups(kernels::WeightDims({channels, depth}, false), first);
    const uint8_t *group = w.data() + o / 4 * groups.bytes();
    int32_t correction = 0;
    memcpy(&correction, group + o % 4 * 4, first > 0 ? 4 : 0);
    int64_t total = int64_t(int32_t(bias[o])) + correction;
    int64_t zero = zeroStep < 0 ? 0 : int32_t(zeros[o / 4 * zeroStep + o % 4]);
    for (int64_t k = 0; k < depth; ++k) {
      int64_t number = int8_t(x[pixel * step + k]);
      total += number * int8_t(group[groups.place(o % 4, k)]) - zero * (number - kInputZero);
    }
    return total;
  }
};

TEST_F(ByteFunctionsTest, MultipliesLikeTheSums) {
  for (int round = 0; round < 300; ++round) {
    Product p{pick(1, 5), pick(1, 50), pick(1, 9), 0, pick(0, 1) * 16, 0, {}, {}, {}, {}, {}, {}};
    p.zeroStep = round % 3 == 0 ? -1 : round % 3 == 1 ? 0 : 4;
    p.step = p.depth + pick(0, 3);
    kernels::ByteGroups groups(kernels::WeightDims({p.channels, p.depth}, false), p.first);
    p.x = bytes(p.pixels * p.step);
    p.w = bytes(groups.count() * groups.bytes());
    for (int64_t o = 0; o < groups.count() * 4; ++o) {
      p.bias.push_back(static_cast<uint32_t>(pick(-9999, 9999)));
      p.multiplier.push_back(static_cast<uint32_t>(pick(1 << 30, INT32_MAX)));
      p.shift.push_back(static_cast<uint32_t>(31 - pick(36, 40)));
      bool isEqual = p.zeroStep == 0 && o > 0;
      p.zeros.push_back(isEqual ? p.zeros.front() : static_cast<uint32_t>(pick(-128, 127)));
      if (p.first > 0) {
        auto correction = static_cast<int32_t>(pick(-9999, 9999));
        memcpy(p.w.data() + o / 4 * groups.bytes() + o % 4 * 4, &correction, 4);
      }
    }
    graph::Requantizer rescale{5, -128, 127, graph::ShiftRounding::HalfUp};
    std::vector<uint8_t> expected, most, found(p.pixels * p.channels), foundMost(p.channels);
    for (int64_t pixel = 0; pixel < p.pixels; ++pixel) {
      for (int64_t o = 0; o < p.channels; ++o) {
        auto shift = 31 - int64_t(int32_t(p.shift[o]));
        expected.push_back(byteOf(rescale, p.sum(pixel, o) * p.multiplier[o], shift));
      }
    }
    for (int64_t o = 0; o < p.channels; ++o) {
      int8_t largest = INT8_MIN;
      for (int64_t pixel = 0; pixel < p.pixels; ++pixel) {
        largest = std::max(largest, int8_t(expected[pixel * p.channels + o]));
      }
      most.push_back(static_cast<uint8_t>(largest));
    }
    auto depth = int32_t(p.depth), channels = int32_t(p.channels), step = int32_t(p.step);
    auto zeroStep = int32_t(p.zeroStep);
    convoy_byte_product(p.x.data(), p.w.data(), p.bias.data(), p.multiplier.data(), p.shift.data(),
                        p.zeros.data(), found.data(), p.pixels, depth, depth, channels, step,
                        channels, int32_t(p.first), 4, 5, -128, 127, 1, kInputZero, zeroStep, 2, 1);
    EXPECT_EQ(found, expected);
    std::vector<int16_t> wide(p.pixels * 64);
    auto *patch = reinterpret_cast<uint8_t *>(wide.data());
    convoy_byte_extend(p.x.data(), patch, p.pixels, depth, step, 128);
    found.assign(found.size(), 0);
    convoy_byte_product(patch, p.w.data(), p.bias.data(), p.multiplier.data(), p.shift.data(),
                        p.zeros.data(), found.data(), p.pixels, depth, 64, channels, 128, channels,
                        int32_t(p.first), 4, 5, -128, 127, 1, kInputZero, zeroStep, 2, 2);
    EXPECT_EQ(found, expected);
    convoy_byte_product_max(p.x.data(), p.w.data(), p.bias.data(), p.multiplier.data(),
                            p.shift.data(), p.zeros.data(), foundMost.data(), p.pixels, depth,
                            depth, channels, step, int32_t(p.first), 4, 5, -128, 127, 1, kInputZero,
                            zeroStep);
    EXPECT_EQ(foundMost, most);
  }
}

} // namespace
