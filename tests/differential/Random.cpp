// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitMix64, and random tensors.

#include "tests/differential/Random.h"
#include "reference/Convert.h"
#include <cmath>
#include <limits>

namespace convoy::test {

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// Mixes the seed, so that consecutive seeds do not give shifted copies of one sequence.
Random::Random(uint64_t seed) : state(mix(seed ^ 0xD1B54A32D192ED03ULL)) {}

Random::Random(llvm::ArrayRef<uint8_t> bytes) : state(bytes.size()), given(bytes) {}

uint64_t Random::bits() {
  if (given.size() >= 2) {
    uint64_t pair = given[0] | uint64_t(given[1]) << 8;
    given = given.drop_front(2);
    return mix(pair + 1);
  }
  return mix(state += 0x9E3779B97F4A7C15ULL);
}

int64_t Random::between(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(bits() % static_cast<uint64_t>(high - low + 1));
}

double Random::unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

namespace {

double specialFloat(Random &random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double values[] = {kInfinity, -kInfinity, std::nan(""), 0.0, -0.0, 1.0, -1.0, 6e4, -6e4};
  return random.pick(values);
}

double randomFloat(Random &random, Content content) {
  if (content == Content::Special && random.chance(0.15)) {
    return specialFloat(random);
  }
  if (content == Content::Positive) {
    return 0.25 + 1.75 * random.unit();
  }
  double value = 4 * random.unit() - 2;
  return random.chance(0.1) ? std::round(value) : value;
}

int64_t randomInt(Random &random, ElementType type, Content content) {
  if (type == ElementType::Bool) {
    return random.between(0, 1);
  }
  if (content == Content::Special && random.chance(0.3)) {
    return random.chance(0.5) ? reference::lowestOf(type)
                              : static_cast<int64_t>(reference::highestOf(type));
  }
  int64_t low = content == Content::Positive ? 1 : isUnsignedInteger(type) ? 0 : -9;
  return random.between(low, 9);
}

} // namespace

Tensor randomTensor(Random &random, ElementType type, llvm::ArrayRef<int64_t> shape,
                    Content content) {
  Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (isFloat(type)) {
      tensor.setDouble(i, randomFloat(random, content));
    } else {
      tensor.setInt(i, randomInt(random, type, content));
    }
  }
  return tensor;
}

Tensor randomInts(Random &random, ElementType type, llvm::ArrayRef<int64_t> shape, int64_t low,
                  int64_t high) {
  Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.setInt(i, random.between(low, high));
  }
  return tensor;
}

} // namespace convoy::test
