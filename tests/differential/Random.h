// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers from a seed or from the input of a fuzzer, which are the same on every machine and
// standard library.

#pragma once

#include "Support/Tensor.h"
#include <cstdint>

namespace convoy::test {

class Random {
public:
  explicit Random(uint64_t seed);
  /// Uses the bytes first, two per number, so that a change of a byte changes one decision. The
  /// bytes must outlive this object.
  explicit Random(llvm::ArrayRef<uint8_t> bytes);

  uint64_t bits();
  /// Returns an integer from `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high);
  /// Returns a number in [0, 1).
  double unit();
  bool chance(double probability) { return unit() < probability; }
  template <typename Range>
  auto &pick(Range &&range) {
    return range[between(0, static_cast<int64_t>(std::size(range)) - 1)];
  }

private:
  uint64_t state;
  llvm::ArrayRef<uint8_t> given;
};

/// Range of the elements of a random tensor.
enum class Content {
  Plain,    // small numbers of both signs
  Positive, // from 0.25 to 2
  Special,  // also infinities, NaN, both zeros and the smallest and largest numbers
};

Tensor randomTensor(Random &random, ElementType type, llvm::ArrayRef<int64_t> shape,
                    Content content = Content::Plain);

/// Returns integers from `low` to `high`, both included.
Tensor randomInts(Random &random, ElementType type, llvm::ArrayRef<int64_t> shape, int64_t low,
                  int64_t high);

} // namespace convoy::test
