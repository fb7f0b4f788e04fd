// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves elements between tensors of one type without interpreting them: numbers
// as bytes, strings as strings.

#pragma once

#include "Support/Tensor.h"
#include <cstring>

namespace convoy::reference {

/// Copies runs of elements from one tensor to another of the same type.
class ElementCopier {
public:
  ElementCopier(Tensor &to, const Tensor &from);

  void copy(int64_t to, int64_t from) const {
    switch (step) {
    case 1:
      copyBytes<1>(to, from);
      break;
    case 4:
      copyBytes<4>(to, from);
      break;
    case 8:
      copyBytes<8>(to, from);
      break;
    default:
      copy(to, from, 1);
    }
  }
  void copy(int64_t to, int64_t from, int64_t count) const;

private:
  // With a compile-time size, the copy is one load and one store.
  template <int64_t kBytes>
  void copyBytes(int64_t to, int64_t from) const {
    std::memcpy(toBytes + to * kBytes, fromBytes + from * kBytes, kBytes);
  }

  int64_t step; // bytes of an element, 0 for strings
  char *toBytes = nullptr;
  const char *fromBytes = nullptr;
  std::string *toStrings = nullptr;
  const std::string *fromStrings = nullptr;
};

/// The offset of an element that has no source.
constexpr int64_t kNoSource = -1;

/// The offsets in a source, in elements, of the positions along one dimension
/// of a result: evenly spaced or listed.
class DimOffsets {
public:
  DimOffsets(int64_t count, int64_t first, int64_t step) : count(count), first(first), step(step) {}
  DimOffsets(std::vector<int64_t> list)
      : count(static_cast<int64_t>(list.size())), list(std::move(list)) {}

  int64_t size() const { return count; }
  int64_t operator[](int64_t i) const { return list.empty() ? first + i * step : list[i]; }
  /// Returns whether the positions are adjacent and start at offset 0.
  bool isWhole() const { return list.empty() && first == 0 && step == 1; }

private:
  int64_t count;
  int64_t first = 0;
  int64_t step = 0;
  std::vector<int64_t> list;
};

/// One table per dimension of a result.
using OffsetTables = std::vector<DimOffsets>;

/// Computes to[i, j, ...] = from[tables[0][i] + tables[1][j] + ...], row-major.
/// Elements without a source keep their value. Offsets must be within `from`.
void copyByOffsets(Tensor &to, const Tensor &from, const OffsetTables &tables);

/// Returns the tables that copy a tensor of this shape unchanged.
OffsetTables tablesOf(llvm::ArrayRef<int64_t> shape);

/// Returns the distance in elements between adjacent positions of each
/// dimension.
Shape stridesOf(llvm::ArrayRef<int64_t> shape);

/// Copies a tensor so that dimension perm[i] of `from` becomes dimension i of `to`.
void copyTransposed(Tensor &to, const Tensor &from, llvm::ArrayRef<int64_t> perm);

/// Sets all elements to the element of a single-element tensor of the same
/// type.
void fill(Tensor &to, const Tensor &value);

/// Calls fn(index, position) for every index of a shape, row-major.
template <typename Fn>
void forEachIndex(llvm::ArrayRef<int64_t> shape, Fn &&fn) {
  Shape index(shape.size(), 0);
  int64_t count = elementCount(shape).value_or(0);
  for (int64_t position = 0; position < count; ++position) {
    fn(llvm::ArrayRef<int64_t>(index), position);
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) {
      index[d] = 0;
    }
  }
}

} // namespace convoy::reference
