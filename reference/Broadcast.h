// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterates over several tensors of broadcasting shapes together, row by row.
// Merges dimensions in which every operand has a uniform step, so that rows are
// long and the caller's inner loop does most of the work:
//
//     2 x 3 x 4  +  2 x 3 x 4  ->  one row of 24, steps 1 and 1
//     2 x 3 x 4  +          4  ->  6 rows of 4, steps 1 and 1
//     2 x 3 x 4  +  2 x 1 x 1  ->  2 rows of 12, steps 1 and 0

#pragma once

#include "Support/Tensor.h"
#include <array>

namespace convoy::reference {

/// Returns the row-major steps of a tensor of `shape` that broadcasts to
/// `common`; 0 where it repeats.
inline Shape broadcastSteps(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> common) {
  Shape steps(common.size(), 0);
  int64_t step = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t dim = shape[shape.size() - 1 - i];
    steps[common.size() - 1 - i] = dim == 1 ? 0 : step;
    step *= dim;
  }
  return steps;
}

template <size_t kOperands>
class RowWalk {
public:
  using Offsets = std::array<int64_t, kOperands>;

  /// Visits `shape`; operand k moves by steps[k][d] along dimension d.
  RowWalk(llvm::ArrayRef<int64_t> shape, const std::array<Shape, kOperands> &steps) {
    for (size_t d = 0; d < shape.size(); ++d) {
      Offsets stepsOfDim;
      for (size_t k = 0; k < kOperands; ++k) {
        stepsOfDim[k] = steps[k][d];
      }
      push(shape[d], stepsOfDim);
    }
    if (dims.empty()) {
      dims.push_back({1, {}});
    }
  }

  /// Calls row(offsets, count, steps) for each row.
  template <typename Row>
  void forEachRow(Row &&row) const {
    for (const Dim &dim : dims) {
      if (dim.size == 0) {
        return;
      }
    }
    Offsets offsets{};
    size_t outer = dims.size() - 1;
    Shape index(outer, 0);
    while (true) {
      row(offsets, dims.back().size, dims.back().steps);
      size_t d = outer;
      while (d > 0 && ++index[d - 1] == dims[d - 1].size) {
        --d;
        index[d] = 0;
        move(offsets, dims[d], 1 - dims[d].size);
      }
      if (d == 0) {
        return;
      }
      move(offsets, dims[d - 1], 1);
    }
  }

private:
  struct Dim {
    int64_t size;
    Offsets steps;
  };

  static void move(Offsets &offsets, const Dim &dim, int64_t times) {
    for (size_t k = 0; k < kOperands; ++k) {
      offsets[k] += times * dim.steps[k];
    }
  }

  /// Adds an inner dimension, and merges it with the outer dimension if both
  /// form one uniform walk.
  void push(int64_t size, const Offsets &steps) {
    if (size == 1) {
      return;
    }
    bool isMerged = !dims.empty();
    for (size_t k = 0; k < kOperands && isMerged; ++k) {
      isMerged = dims.back().steps[k] == steps[k] * size;
    }
    if (isMerged) {
      dims.back().size *= size;
      dims.back().steps = steps;
    } else {
      dims.push_back({size, steps});
    }
  }

  llvm::SmallVector<Dim, 6> dims;
};

} // namespace convoy::reference
