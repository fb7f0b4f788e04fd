// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor in memory: element type, shape and row-major bytes. Copies share the
// bytes; a write to shared or memory-mapped bytes copies them first. An element
// narrower than a byte uses one byte (I4 is sign-extended).

#pragma once

#include "Support/ElementType.h"
#include "Support/SmallFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

using Shape = llvm::SmallVector<int64_t, 6>;

/// Returns the number of elements, or nullopt if a dimension is negative or the
/// product overflows int64.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

class Tensor {
public:
  Tensor() = default;

  /// Creates a tensor of zeros. The caller must check `shape` with
  /// elementCount.
  Tensor(ElementType type, llvm::ArrayRef<int64_t> shape);

  /// Returns a read-only view of row-major bytes that `owner` keeps alive. A
  /// narrow element uses one byte.
  static Tensor view(ElementType type, llvm::ArrayRef<int64_t> shape, const void *bytes,
                     std::shared_ptr<const void> owner);

  /// Returns a tensor of rank 0 or 1 with the given values.
  template <typename T>
  static Tensor scalar(ElementType type, T value);
  static Tensor vector(llvm::ArrayRef<int64_t> values);

  ElementType type() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  int64_t dim(int64_t i) const { return dims[i]; }
  int64_t size() const { return count; }
  int64_t bytes() const { return count * storageBytes(elementType); }
  bool isEmpty() const { return count == 0; }

  /// Returns a tensor with the same elements and another shape of equal size.
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;

  const void *raw() const { return elementBytes; }
  void *mutableRaw();
  template <typename T>
  const T *data() const {
    return static_cast<const T *>(raw());
  }
  template <typename T>
  T *mutableData() {
    return static_cast<T *>(mutableRaw());
  }

  const std::vector<std::string> &strings() const { return *stringElements; }
  std::vector<std::string> &mutableStrings();

  /// Returns element i as double or int64 (floats truncate, U64 wraps). Not for
  /// strings.
  double asDouble(int64_t i) const;
  int64_t asInt(int64_t i) const;

  /// Stores a value with the rounding of graph.cast.
  void setDouble(int64_t i, double value);
  void setInt(int64_t i, int64_t value);

  /// Returns all elements as int64, for shapes, axes and indices.
  Shape ints() const;

private:
  ElementType elementType = ElementType::Undefined;
  Shape dims;
  int64_t count = 0;
  const void *elementBytes = nullptr;
  std::shared_ptr<const void> owner;
  bool isWritable = false;
  std::shared_ptr<std::vector<std::string>> stringElements;
};

/// Calls `fn` with a value of the C++ type that stores `type`: float, Half,
/// int8_t (also I4, I2), uint8_t (also U4, U2), bool ... Not for strings and
/// complex types.
///
///     dispatch(tensor.type(), [&](auto zero) { using T = decltype(zero); ... });
template <typename Fn>
decltype(auto) dispatch(ElementType type, Fn &&fn) {
  switch (type) {
  case ElementType::F32:
    return fn(float());
  case ElementType::F64:
    return fn(double());
  case ElementType::F16:
    return fn(Half());
  case ElementType::BF16:
    return fn(BFloat16());
  case ElementType::F8E4M3FN:
    return fn(Float8E4M3FN());
  case ElementType::F8E4M3FNUZ:
    return fn(Float8E4M3FNUZ());
  case ElementType::F8E5M2:
    return fn(Float8E5M2());
  case ElementType::F8E5M2FNUZ:
    return fn(Float8E5M2FNUZ());
  case ElementType::F4E2M1:
    return fn(Float4E2M1());
  case ElementType::F8E8M0:
    return fn(Float8E8M0());
  case ElementType::I8:
  case ElementType::I4:
  case ElementType::I2:
    return fn(int8_t());
  case ElementType::U8:
  case ElementType::U4:
  case ElementType::U2:
    return fn(uint8_t());
  case ElementType::I16:
    return fn(int16_t());
  case ElementType::U16:
    return fn(uint16_t());
  case ElementType::I32:
    return fn(int32_t());
  case ElementType::U32:
    return fn(uint32_t());
  case ElementType::I64:
    return fn(int64_t());
  case ElementType::U64:
    return fn(uint64_t());
  case ElementType::Bool:
    return fn(bool());
  default:
    llvm_unreachable("no C++ storage type");
  }
}

template <typename T>
Tensor Tensor::scalar(ElementType type, T value) {
  Tensor result(type, {});
  if constexpr (std::is_floating_point_v<T>) {
    result.setDouble(0, value);
  } else {
    result.setInt(0, static_cast<int64_t>(value));
  }
  return result;
}

} // namespace convoy
