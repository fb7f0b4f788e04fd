// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements storage and element access of Tensor. Bulk operations use
// data<T>(); the element accessors are for shapes, axes and other small
// tensors.

#include "Support/Tensor.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace convoy {

std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t dim : shape) {
    if (dim < 0) {
      return std::nullopt;
    }
    if (dim == 0) {
      isEmpty = true;
    } else if (llvm::MulOverflow(count, dim, count)) {
      return std::nullopt;
    }
  }
  return isEmpty ? 0 : count;
}

static std::shared_ptr<void> allocate(int64_t bytes) {
  // calloc does not allocate untouched pages, which saves memory for large
  // tensors.
  void *storage = std::calloc(std::max<int64_t>(bytes, 1), 1);
  if (!storage) {
    throw std::bad_alloc(); // The reference interpreter reports an error at the op.
  }
  return std::shared_ptr<void>(storage, std::free);
}

Tensor::Tensor(ElementType type, llvm::ArrayRef<int64_t> shape)
    : elementType(type), dims(shape.begin(), shape.end()) {
  count = elementCount(shape).value_or(0);
  if (type == ElementType::String) {
    stringElements = std::make_shared<std::vector<std::string>>(count);
    return;
  }
  std::shared_ptr<void> storage = allocate(bytes());
  elementBytes = storage.get();
  owner = std::move(storage);
  isWritable = true;
}

Tensor Tensor::view(ElementType type, llvm::ArrayRef<int64_t> shape, const void *bytes,
                    std::shared_ptr<const void> owner) {
  Tensor result;
  result.elementType = type;
  result.dims.assign(shape.begin(), shape.end());
  result.count = elementCount(shape).value_or(0);
  result.elementBytes = bytes;
  result.owner = std::move(owner);
  return result;
}

Tensor Tensor::vector(llvm::ArrayRef<int64_t> values) {
  Tensor result(ElementType::I64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), result.mutableData<int64_t>());
  return result;
}

Tensor Tensor::reshaped(llvm::ArrayRef<int64_t> shape) const {
  Tensor result = *this;
  result.dims.assign(shape.begin(), shape.end());
  return result;
}

void *Tensor::mutableRaw() {
  if (!isWritable || owner.use_count() > 1) {
    std::shared_ptr<void> copy = allocate(bytes());
    if (bytes() > 0) {
      std::memcpy(copy.get(), elementBytes, bytes());
    }
    elementBytes = copy.get();
    owner = std::move(copy);
    isWritable = true;
  }
  return const_cast<void *>(elementBytes);
}

std::vector<std::string> &Tensor::mutableStrings() {
  if (stringElements.use_count() > 1) {
    stringElements = std::make_shared<std::vector<std::string>>(*stringElements);
  }
  return *stringElements;
}

double Tensor::asDouble(int64_t i) const {
  return dispatch(elementType, [&](auto zero) {
    using T = decltype(zero);
    return static_cast<double>(data<T>()[i]);
  });
}

/// Truncates a float to int64 with saturation; NaN becomes 0. A plain cast out
/// of range is undefined behavior.
static int64_t truncateToInt(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  if (value >= 9223372036854775808.0) {
    return std::numeric_limits<int64_t>::max();
  }
  if (value < -9223372036854775808.0) {
    return std::numeric_limits<int64_t>::min();
  }
  return static_cast<int64_t>(value);
}

int64_t Tensor::asInt(int64_t i) const {
  return dispatch(elementType, [&](auto zero) -> int64_t {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(data<T>()[i]);
    } else {
      return truncateToInt(data<T>()[i]);
    }
  });
}

/// Sign- or zero-extends the low `bits` of a narrow integer.
static int64_t wrapNarrow(int64_t value, ElementType type) {
  int64_t bits = bitWidth(type);
  if (bits >= 8) {
    return value;
  }
  int64_t low = value & ((1 << bits) - 1);
  return isSignedInteger(type) && (low >> (bits - 1)) ? low - (1 << bits) : low;
}

void Tensor::setInt(int64_t i, int64_t value) {
  value = isInteger(elementType) ? wrapNarrow(value, elementType) : value;
  dispatch(elementType, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      mutableData<T>()[i] = static_cast<T>(value);
    } else {
      mutableData<T>()[i] = T(static_cast<double>(value));
    }
  });
}

/// Truncates a float to an integer of at least 8 bits like graph.cast: values
/// out of range saturate, NaN becomes 0.
template <typename T>
static T truncateTo(double value) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (value >= 9223372036854775808.0) {
      return value >= 18446744073709551616.0 ? std::numeric_limits<T>::max()
                                             : static_cast<T>(value);
    }
    return value > 0 ? static_cast<T>(truncateToInt(value)) : 0;
  } else {
    return static_cast<T>(std::clamp<int64_t>(truncateToInt(value), std::numeric_limits<T>::min(),
                                              std::numeric_limits<T>::max()));
  }
}

void Tensor::setDouble(int64_t i, double value) {
  dispatch(elementType, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      mutableData<T>()[i] = value != 0;
    } else if constexpr (std::is_integral_v<T>) {
      mutableData<T>()[i] = bitWidth(elementType) < 8
                                ? static_cast<T>(wrapNarrow(truncateToInt(value), elementType))
                                : truncateTo<T>(value);
    } else {
      mutableData<T>()[i] = T(value);
    }
  });
}

Shape Tensor::ints() const {
  Shape result(count);
  for (int64_t i = 0; i < count; ++i) {
    result[i] = asInt(i);
  }
  return result;
}

} // namespace convoy
