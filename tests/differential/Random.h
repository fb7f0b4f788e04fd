// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers from a seed, the same on every machine and standard library.

#pragma once

#include "Support/Tensor.h"
#include <cstdint>

namespace convoy::test {

class Random {
public:
  explicit Random(uint64_t seed);

  uint64_t bits();
  /// A whole number from `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high);
  /// In [0, 1).
  double unit();
  bool chance(double probability) { return unit() < probability; }
  template <typename Range>
  auto &pick(Range &&range) {
    return range[between(0, static_cast<int64_t>(std::size(range)) - 1)];
  }

private:
  uint64_t state;
};

/// What elements a tensor gets.
enum class Content {
  Plain,    // small numbers of both signs
  Positive, // from 0.25 to 2
  Special,  // also infinities, NaN, both zeros and the smallest and largest numbers
};

Tensor randomTensor(Random &random, ElementType type, llvm::ArrayRef<int64_t> shape,
                    Content content = Content::Plain);

/// Whole numbers from `low` to `high`, both included.
Tensor randomInts(Random &random, ElementType type, llvm::ArrayRef<int64_t> shape, int64_t low,
                  int64_t high);

} // namespace convoy::test
