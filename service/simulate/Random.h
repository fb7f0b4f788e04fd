// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers of the simulation: the same on every platform, which std distributions are not.

#pragma once

#include <cmath>
#include <cstdint>

namespace convoy::service {

/// SplitMix64: a counter and a mixing function, so any 64-bit value is a good seed.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t value = state += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
  }
  double between(double low, double high) {
    constexpr double kUnit = 1.0 / 9007199254740992.0; // 2^-53
    return low + (high - low) * static_cast<double>(next() >> 11) * kUnit;
  }
  size_t below(size_t count) { return next() % count; }
  double exponential(double mean) { return -mean * std::log(1 - between(0, 1)); }
  /// Sum of four uniform numbers: close to a normal distribution, bounded by 3.5 deviations.
  double normal() {
    double sum = between(-1, 1) + between(-1, 1) + between(-1, 1) + between(-1, 1);
    return sum * 0.8660254037844386; // sqrt(3) / 2
  }

private:
  uint64_t state;
};

} // namespace convoy::service
