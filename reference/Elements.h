// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands and results of sums of products. Floats accumulate in double and
// round once when stored. Integers wrap: unsigned 64-bit arithmetic followed by
// truncation is correct for every width.

#pragma once

#include "Support/Tensor.h"
#include <type_traits>

namespace convoy::reference {

/// Calls `fn` with a value of the type in which elements of `type` are read:
/// double for F64, float for other floats, uint64_t for integers.
template <typename Fn>
decltype(auto) dispatchArithmetic(ElementType type, Fn &&fn) {
  if (type == ElementType::F64) {
    return fn(double());
  }
  if (isFloat(type)) {
    return fn(float());
  }
  return fn(uint64_t());
}

/// The accumulator type for sums of products of T.
template <typename T>
using Accumulator = std::conditional_t<std::is_unsigned_v<T>, T, double>;

/// The elements of a tensor as T; a view if the tensor already stores T.
template <typename T>
class Elements {
public:
  explicit Elements(const Tensor &tensor) {
    dispatch(tensor.type(), [&](auto zero) {
      using Stored = decltype(zero);
      if constexpr (std::is_same_v<Stored, T>) {
        values = tensor.data<T>();
      } else {
        const Stored *stored = tensor.data<Stored>();
        converted.resize(tensor.size());
        for (int64_t i = 0; i < tensor.size(); ++i) {
          converted[i] = convert(stored[i]);
        }
        values = converted.data();
      }
    });
  }
  const T *data() const { return values; }
  T operator[](int64_t i) const { return values[i]; }

private:
  template <typename Stored>
  static T convert(Stored value) {
    if constexpr (std::is_integral_v<Stored> || std::is_floating_point_v<Stored>) {
      return static_cast<T>(value);
    } else {
      return static_cast<T>(static_cast<float>(value));
    }
  }

  const T *values = nullptr;
  std::vector<T> converted;
};

/// Returns the elements of an integer tensor minus a zero point, for sums that
/// wrap in T.
template <typename T = uint32_t>
std::vector<T> centered(const Tensor &tensor, int64_t zeroPoint) {
  std::vector<T> values(tensor.size());
  dispatch(tensor.type(), [&](auto zero) {
    using Stored = decltype(zero);
    if constexpr (std::is_integral_v<Stored>) {
      const Stored *stored = tensor.data<Stored>();
      for (int64_t i = 0; i < tensor.size(); ++i) {
        values[i] = static_cast<T>(static_cast<int64_t>(stored[i]) - zeroPoint);
      }
    }
  });
  return values;
}

/// Subtracts zero points from values that `centered` returned. `zeroPoints` has one
/// entry per channel, and a channel has `inner` consecutive values; it may be null.
template <typename T>
void subtractChannels(std::vector<T> &values, const Tensor *zeroPoints, int64_t inner) {
  for (int64_t i = 0; zeroPoints && i < static_cast<int64_t>(values.size()); ++i) {
    values[i] -= static_cast<T>(zeroPoints->asInt(i / inner % zeroPoints->size()));
  }
}

/// Calls `fn` with a value of the type in which the sums of an integer layer wrap.
template <typename Fn>
void dispatchSums(const Tensor &sums, Fn fn) {
  if (bitWidth(sums.type()) == 64) {
    fn(uint64_t());
  } else {
    fn(uint32_t());
  }
}

/// Stores `count` sums, `stride` apart, starting at element `offset`.
template <typename A>
void storeSums(Tensor &result, int64_t offset, const A *sums, int64_t count, int64_t stride = 1) {
  bool isNarrow = isInteger(result.type()) && bitWidth(result.type()) < 8;
  if (isNarrow) {
    for (int64_t i = 0; i < count; ++i) {
      result.setInt(offset + i, static_cast<int64_t>(sums[i * stride]));
    }
    return;
  }
  dispatch(result.type(), [&](auto zero) {
    using Stored = decltype(zero);
    Stored *out = result.mutableData<Stored>() + offset;
    for (int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Stored>(sums[i * stride]);
    }
  });
}

/// Computes sums[i * kBlock + j] += x[i * stride] * weights[j], the inner loop
/// of conv and matmul. The block is innermost, so the compiler vectorizes it
/// for any stride.
template <int kBlock, typename T>
void multiplyAdd(const T *x, int64_t stride, int64_t count, const Accumulator<T> (&weights)[kBlock],
                 Accumulator<T> *sums) {
  for (int64_t i = 0; i < count; ++i) {
    Accumulator<T> value = x[i * stride];
    for (int j = 0; j < kBlock; ++j) {
      sums[i * kBlock + j] += value * weights[j];
    }
  }
}

} // namespace convoy::reference
