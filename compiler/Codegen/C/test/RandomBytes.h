// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers for tests of byte functions.

#pragma once

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace convoy::codegen::test {

struct RandomBytesTest : ::testing::Test {
  /// Returns a number from low to high, both included.
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  std::vector<uint8_t> bytes(int64_t count) {
    std::vector<uint8_t> result(count);
    std::generate(result.begin(), result.end(), [&] { return static_cast<uint8_t>(pick(0, 255)); });
    return result;
  }

  std::mt19937 random{1};
};

} // namespace convoy::codegen::test
