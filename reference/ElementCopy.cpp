// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the loops of ops that only move elements.

#include "reference/ElementCopy.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::reference {

ElementCopier::ElementCopier(Tensor &to, const Tensor &from) : step(storageBytes(from.type())) {
  if (from.type() == ElementType::String) {
    toStrings = to.mutableStrings().data();
    fromStrings = from.strings().data();
  } else {
    toBytes = to.mutableData<char>();
    fromBytes = from.data<char>();
  }
}

void ElementCopier::copy(int64_t to, int64_t from, int64_t count) const {
  if (step == 0) {
    std::copy(fromStrings + from, fromStrings + from + count, toStrings + to);
  } else if (count > 0) {
    std::memcpy(toBytes + to * step, fromBytes + from * step, count * step);
  }
}

Shape stridesOf(llvm::ArrayRef<int64_t> shape) {
  if (elementCount(shape).value_or(0) == 0) {
    return Shape(shape.size(), 0); // The products of dimensions of an empty shape may overflow.
  }
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

OffsetTables tablesOf(llvm::ArrayRef<int64_t> shape) {
  OffsetTables tables;
  for (auto [dim, stride] : llvm::zip(shape, stridesOf(shape))) {
    tables.emplace_back(dim, 0, stride);
  }
  return tables;
}

namespace {

class TableCopy {
public:
  TableCopy(Tensor &to, const Tensor &from, const OffsetTables &tables)
      : copier(to, from), tables(tables), innerSizes(tables.size() + 1, 1) {
    for (size_t d = tables.size(); d-- > 0;) {
      innerSizes[d] = innerSizes[d + 1] * tables[d].size();
    }
  }

  void run(size_t dim, int64_t to, int64_t from) const {
    if (dim == tables.size()) {
      copier.copy(to, from);
    } else if (dim + 1 == tables.size() && tables[dim].isWhole()) {
      copier.copy(to, from, tables[dim].size());
    } else {
      for (int64_t i = 0; i < tables[dim].size(); ++i, to += innerSizes[dim + 1]) {
        if (tables[dim][i] != kNoSource) {
          run(dim + 1, to, from + tables[dim][i]);
        }
      }
    }
  }

private:
  ElementCopier copier;
  const OffsetTables &tables;
  Shape innerSizes; // number of result elements per index of each dimension
};

} // namespace

void copyByOffsets(Tensor &to, const Tensor &from, const OffsetTables &tables) {
  if (!to.isEmpty()) {
    TableCopy(to, from, tables).run(0, 0, 0);
  }
}

void copyTransposed(Tensor &to, const Tensor &from, llvm::ArrayRef<int64_t> perm) {
  OffsetTables fromTables = tablesOf(from.shape());
  OffsetTables tables;
  for (int64_t dim : perm) {
    tables.push_back(fromTables[dim]);
  }
  copyByOffsets(to, from, tables);
}

void fill(Tensor &to, const Tensor &value) {
  ElementCopier copier(to, value);
  for (int64_t i = 0; i < to.size(); ++i) {
    copier.copy(i, 0);
  }
}

} // namespace convoy::reference
