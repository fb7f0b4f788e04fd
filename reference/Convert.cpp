// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between number types. Every source type widens without loss to
// int64, uint64 or double, and every destination type is reached from one of
// these three. This needs 3 x 19 conversions instead of 19 x 19, and each
// rounds once. Elements pass through a small buffer.

#include "reference/Convert.h"
#include <algorithm>
#include <type_traits>

namespace convoy::reference {
namespace {

constexpr int64_t kChunk = 1024; // elements; the buffer fits into the L1 cache

/// The type that represents every value of T.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t,
                                std::conditional_t<std::is_integral_v<T>, int64_t, double>>;

/// The value of every encoding of a small float. A table lookup is ten times
/// faster than decoding.
template <typename T>
const float *wideningTable() {
  static const std::vector<float> kTable = [] {
    std::vector<float> table(size_t(1) << (8 * sizeof(T)));
    for (size_t bits = 0; bits < table.size(); ++bits) {
      T value;
      value.bits = static_cast<decltype(value.bits)>(bits);
      table[bits] = value;
    }
    return table;
  }();
  return kTable.data();
}

template <typename W>
void widenChunk(const Tensor &from, int64_t begin, int64_t count, W *buffer) {
  dispatch(from.type(), [&](auto zero) {
    using T = decltype(zero);
    [[maybe_unused]] const T *source = from.data<T>() + begin;
    if constexpr (std::is_same_v<Wide<T>, W> && std::is_arithmetic_v<T>) {
      std::copy_n(source, count, buffer);
    } else if constexpr (std::is_same_v<Wide<T>, W>) {
      const float *values = wideningTable<T>();
      std::transform(source, source + count, buffer, [=](T x) { return values[x.bits]; });
    } else {
      llvm_unreachable("convertElements chose another wide type");
    }
  });
}

/// Returns a double that a narrow float rounds like the original value. A
/// sticky bit represents the low bits of an integer that a double cannot
/// represent.
template <typename W>
double stickyDouble(W value) {
  if constexpr (std::is_integral_v<W>) {
    constexpr W kLimit = W(1) << 53;
    constexpr W kLowBits = (W(1) << 11) - 1;
    bool fits = value < kLimit && (std::is_unsigned_v<W> || value > W(0) - kLimit);
    if (!fits && (value & kLowBits)) {
      value = (value & ~kLowBits) | (kLowBits + 1);
    }
  }
  return static_cast<double>(value);
}

template <typename T, typename W>
T narrowOne(W value, ElementType type, Narrowing narrowing) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<W>) {
    return static_cast<T>(value); // wraps
  } else if constexpr (std::is_integral_v<T>) {
    return saturateTo<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    T result;
    result.bits = static_cast<decltype(result.bits)>(
        narrowFloat(stickyDouble(value), type, narrowing.overflow, narrowing.rounding));
    return result;
  }
}

template <typename W>
void narrowChunk(const W *buffer, int64_t begin, int64_t count, Tensor &to, Narrowing narrowing) {
  dispatch(to.type(), [&](auto zero) {
    using T = decltype(zero);
    T *result = to.mutableData<T>() + begin;
    for (int64_t i = 0; i < count; ++i) {
      result[i] = narrowOne<T>(buffer[i], to.type(), narrowing);
    }
  });
}

/// A float converts to a narrow integer via int64, so that it wraps instead of
/// saturating at the width of the storage.
bool isNarrowInteger(ElementType type) { return isInteger(type) && bitWidth(type) < 8; }

void truncateChunk(const double *buffer, int64_t begin, int64_t count, Tensor &to) {
  int64_t integers[kChunk];
  for (int64_t i = 0; i < count; ++i) {
    integers[i] = saturateTo<int64_t>(buffer[i]);
  }
  narrowChunk(integers, begin, count, to, {});
}

template <typename W>
void convertThrough(const Tensor &from, Tensor &to, Narrowing narrowing) {
  W buffer[kChunk];
  for (int64_t begin = 0; begin < from.size(); begin += kChunk) {
    int64_t count = std::min(kChunk, from.size() - begin);
    widenChunk(from, begin, count, buffer);
    if constexpr (std::is_same_v<W, double>) {
      if (isNarrowInteger(to.type())) {
        truncateChunk(buffer, begin, count, to);
        continue;
      }
    }
    narrowChunk(buffer, begin, count, to, narrowing);
  }
}

} // namespace

void convertElements(const Tensor &from, Tensor &to, Narrowing narrowing) {
  if (isFloat(from.type())) {
    convertThrough<double>(from, to, narrowing);
  } else if (from.type() == ElementType::U64) {
    convertThrough<uint64_t>(from, to, narrowing);
  } else {
    convertThrough<int64_t>(from, to, narrowing);
  }
  wrapNarrowIntegers(to);
}

Tensor converted(const Tensor &from, ElementType to) {
  if (from.type() == to) {
    return from;
  }
  Tensor result(to, from.shape());
  convertElements(from, result);
  return result;
}

int64_t lowestOf(ElementType type) {
  return isSignedInteger(type) ? -(int64_t(1) << (bitWidth(type) - 2)) * 2 : 0;
}

uint64_t highestOf(ElementType type) {
  if (type == ElementType::Bool) {
    return 1;
  }
  int64_t valueBits = bitWidth(type) - (isSignedInteger(type) ? 1 : 0);
  return ~uint64_t(0) >> (64 - valueBits);
}

void wrapNarrowIntegers(Tensor &tensor) {
  if (!isNarrowInteger(tensor.type())) {
    return;
  }
  int64_t shift = 8 - bitWidth(tensor.type());
  if (isSignedInteger(tensor.type())) {
    int8_t *elements = tensor.mutableData<int8_t>();
    for (int64_t i = 0; i < tensor.size(); ++i) {
      elements[i] = static_cast<int8_t>(static_cast<uint8_t>(elements[i]) << shift) >> shift;
    }
    return;
  }
  uint8_t *elements = tensor.mutableData<uint8_t>();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    elements[i] &= 0xff >> shift;
  }
}

} // namespace convoy::reference
