// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the plain bodies of the byte functions of depthwise convolutions and pools with direct
// sums on random images. The constants are packed by the layouts of depthwise_bytes.

#include "Codegen/C/test/RandomBytes.h"
#include "Graph/RoundingShift.h"
#include "Kernels/DepthwiseBytes/DepthwiseBytes.h"
#include "Kernels/Kernel.h"
#include <algorithm>
#include <byte_depthwise.h>
#include <byte_max.h>
#include <byte_scale.h>
#include <byte_sum.h>

using namespace convoy;

namespace {

constexpr int64_t kRows = 3; // of taps
constexpr int64_t kInputZero = -5;

struct ByteRowsTest : codegen::test::RandomBytesTest {
  Tensor numbers(int64_t count, int64_t low, int64_t high) {
    Tensor result(ElementType::I32, {count});
    auto *to = result.mutableData<int32_t>();
    std::generate(to, to + count, [&] { return static_cast<int32_t>(pick(low, high)); });
    return result;
  }
};

/// A row of windows over rows of an image with channels innermost.
struct Windows {
  int64_t channels, inputColumns, outputColumns, taps, stride, dilation, pad;

  /// Calls body(tap, offset in the row) for the taps of a pixel and a channel; a missing tap has
  /// the offset -1.
  void forEach(int64_t pixel, int64_t channel,
               llvm::function_ref<void(int64_t, int64_t)> body) const {
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t at = pixel * stride - pad + tap * dilation;
      body(tap, at < 0 || at >= inputColumns ? -1 : at * channels + channel);
    }
  }
};

TEST_F(ByteRowsTest, DepthwiseRowsEqualDirectSums) {
  mlir::MLIRContext context;
  context.loadDialect<kernels::KernelDialect>();
  for (int round = 0; round < 300; ++round) {
    Windows w{pick(1, 40), pick(1, 9), 0, kRows, pick(1, 2), pick(1, 2), pick(0, 2)};
    w.outputColumns = pick(1, w.inputColumns);
    Tensor weights(ElementType::I8, {w.channels, 1, kRows, kRows});
    auto *weight = weights.mutableData<int8_t>();
    std::generate(weight, weight + weights.size(),
                  [&] { return static_cast<int8_t>(pick(-127, 127)); });
    Tensor bias = numbers(w.channels, -2000, 2000);
    Tensor multiplier = numbers(w.channels, 1 << 30, (int64_t(1) << 31) - 1);
    Tensor shift = numbers(w.channels, 36, 41);
    Tensor packed = kernels::DepthwiseGroupsAttr::get(&context, kInputZero).pack(weights);
    auto plain = kernels::LaneQuartersAttr::get(&context, 0);
    Tensor zero = numbers(w.channels, -128, 127);
    int64_t zeroStep = round % 2 == 0 ? -1 : 16;
    Tensor biases = plain.pack(bias), multipliers = plain.pack(multiplier);
    Tensor weightZeros = plain.pack(zero);
    Tensor shifts = kernels::LaneQuartersAttr::get(&context, 31).pack(shift);
    std::vector<uint8_t> rows[kRows];
    for (std::vector<uint8_t> &row : rows) {
      row = bytes(w.channels * w.inputColumns);
    }
    int64_t missing = pick(0, 7);
    std::vector<uint8_t> zeros(w.channels), result(w.channels * w.outputColumns);
    auto table = [](const Tensor &tensor) { return static_cast<const uint32_t *>(tensor.raw()); };
    auto number = [](int64_t value) { return static_cast<int32_t>(value); };
    convoy_byte_depthwise(result.data(), rows[0].data(), rows[1].data(), rows[2].data(),
                          static_cast<const uint8_t *>(packed.raw()), table(biases),
                          table(multipliers), table(shifts), table(weightZeros), zeros.data(),
                          missing, number(w.channels), number(w.inputColumns),
                          number(w.outputColumns), number(w.stride), number(w.dilation),
                          number(w.pad), kInputZero, 64, 16, number(zeroStep), -3, -100, 120);
    graph::Requantizer rescale{-3, -100, 120, graph::ShiftRounding::HalfUp};
    for (int64_t i = 0; i < w.channels * w.outputColumns; ++i) {
      int64_t channel = i % w.channels;
      int64_t sum = bias.asInt(channel);
      for (int64_t row = 0; row < kRows; ++row) {
        w.forEach(i / w.channels, channel, [&](int64_t tap, int64_t at) {
          bool isMissing = at < 0 || (missing >> row & 1) != 0;
          int64_t x = isMissing ? kInputZero : static_cast<int8_t>(rows[row][at]);
          int64_t stored = weight[(channel * kRows + row) * kRows + tap];
          sum += (x - kInputZero) * (stored - (zeroStep < 0 ? 0 : zero.asInt(channel)));
        });
      }
      auto expected =
          static_cast<uint8_t>(rescale(sum * multiplier.asInt(channel), shift.asInt(channel)));
      ASSERT_EQ(result[i], expected) << "result " << i << " of round " << round;
    }
  }
}

TEST_F(ByteRowsTest, PoolsEqualDirectMaximaAndSums) {
  for (int round = 0; round < 300; ++round) {
    Windows w{pick(1, 20), pick(1, 9), 0, pick(1, 4), pick(1, 3), pick(1, 2), pick(0, 2)};
    w.outputColumns = pick(1, w.inputColumns);
    int64_t count = w.channels * w.outputColumns;
    std::vector<uint8_t> row = bytes(w.channels * w.inputColumns);
    std::vector<uint8_t> largest = bytes(count), scaled(count), before = largest;
    std::vector<int32_t> sums(count, 1000);
    auto number = [](int64_t value) { return static_cast<int32_t>(value); };
    convoy_byte_max(largest.data(), row.data(), number(w.channels), number(w.inputColumns),
                    number(w.outputColumns), number(w.taps), number(w.stride), number(w.dilation),
                    number(w.pad));
    auto *memory = reinterpret_cast<uint8_t *>(sums.data());
    convoy_byte_sum(memory, row.data(), number(w.channels), number(w.inputColumns),
                    number(w.outputColumns), number(w.taps), number(w.stride), number(w.dilation),
                    number(w.pad), kInputZero);
    convoy_byte_scale(scaled.data(), memory, count, 1 << 30, 31 - 34, 7, -90, 100, 2);
    graph::Requantizer rescale{7, -90, 100, graph::ShiftRounding::HalfEven};
    for (int64_t i = 0; i < count; ++i) {
      auto most = static_cast<int8_t>(before[i]);
      int64_t sum = 1000;
      w.forEach(i / w.channels, i % w.channels, [&](int64_t, int64_t at) {
        most = at < 0 ? most : std::max(most, static_cast<int8_t>(row[at]));
        sum += at < 0 ? 0 : static_cast<int8_t>(row[at]) - kInputZero;
      });
      ASSERT_EQ(static_cast<int8_t>(largest[i]), most);
      ASSERT_EQ(sums[i], sum);
      ASSERT_EQ(scaled[i], static_cast<uint8_t>(rescale(sum << 30, 34)));
    }
  }
}

} // namespace
