// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the copies of PackPanels.h. A matrix with contiguous columns is copied vector by
// vector. A matrix with a contiguous depth is transposed in squares; the last square overlaps the
// square before it. Other matrices are gathered.

#include "Kernels/Product/PackPanels.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/Core/LoopNest.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// The maximum size of a square that is transposed in registers: the registers of x86-64-v4 and
/// AArch64 hold twice as many vectors.
constexpr int64_t kMostTransposed = 16;

/// Returns `count` lanes of x and of y from lane `first` on, in turn.
Value interleave(ImplicitLocOpBuilder &b, Value x, Value y, int64_t first, int64_t count) {
  int64_t lanes = cast<VectorType>(x.getType()).getDimSize(0);
  SmallVector<int64_t> places;
  for (int64_t i = first; i < first + count; ++i) {
    places.append({i, lanes + i});
  }
  return b.create<vector::ShuffleOp>(x, y, places);
}

class PanelPacker : private LoopNest {
public:
  PanelPacker(ImplicitLocOpBuilder &builder, const PackedMatrix &matrix, Value panel)
      : LoopNest(builder), matrix(matrix), panel{panel, ElementType::F32} {}

  /// Copies the vectors whose first column is `column`, at `to` of the panel.
  void copy(int64_t lanes, int64_t width, Value column, Value to) {
    Value from = add(matrix.offset, mul(column, matrix.columnStride));
    bool isF32 = matrix.memory.type == ElementType::F32;
    if (matrix.columnStride != 1 && matrix.depthStride == 1 && matrix.depth > 1 && lanes > 1 &&
        lanes <= kMostTransposed) {
      copyTransposed(lanes, width, from, to);
    } else if (matrix.columnStride == 1 || lanes == 1 || isF32) {
      copyRows(lanes, width, from, to);
    } else {
      copyElements(lanes, width, from, to);
    }
  }

private:
  /// Copies one vector per row of the panel. If the columns are not contiguous, the load gathers.
  void copyRows(int64_t lanes, int64_t width, Value from, Value to) {
    loop(matrix.depth, [&](Value k) {
      Lanes l(b, lanes);
      Index source{add(from, mul(k, matrix.depthStride)), matrix.columnStride, {}};
      Value row = load(l, matrix.memory, source);
      store(l, panel, Index{add(to, mul(k, width)), 1, {}}, row);
    });
  }

  /// Loads `depth` elements of each column and stores `depth` rows of the panel per step.
  void copyTransposed(int64_t lanes, int64_t width, Value from, Value to) {
    int64_t depth = widthFor(matrix.depth, lanes);
    loop((matrix.depth + depth - 1) / depth, [&](Value i) {
      Value k = mul(i, depth);
      if (matrix.depth % depth != 0) {
        k = min(k, matrix.depth - depth);
      }
      SmallVector<Value> columns;
      Lanes source(b, depth);
      for (int64_t j = 0; j < lanes; ++j) {
        Value offset = add(add(from, k), j * matrix.columnStride);
        columns.push_back(load(source, matrix.memory, Index{offset, 1, {}}));
      }
      Lanes l(b, lanes);
      for (auto [j, row] : llvm::enumerate(transposeRows(b, columns))) {
        Value offset = add(add(to, mul(k, width)), static_cast<int64_t>(j) * width);
        store(l, panel, Index{offset, 1, {}}, row);
      }
    });
  }

  /// Copies narrow elements one by one, because targets have no gather of narrow elements.
  void copyElements(int64_t lanes, int64_t width, Value from, Value to) {
    loop(matrix.depth, [&](Value k) {
      loop(lanes, [&](Value j) {
        Lanes l(b, 1);
        Value source = add(add(from, mul(k, matrix.depthStride)), mul(j, matrix.columnStride));
        Value element = load(l, matrix.memory, l.uniform(source));
        store(l, panel, l.uniform(add(add(to, mul(k, width)), j)), element);
      });
    });
  }

  const PackedMatrix &matrix;
  Buffer panel;
};

} // namespace

// Interleaving vectors i and i + n / 2 moves the highest bit of the row number to the lowest bit of
// the lane number. While rows are shorter than the result, the vectors grow. Afterwards the highest
// bit of the lane number moves to the lowest bit of the vector number. After one stage per bit of
// the row number, lanes are rows.
SmallVector<Value> transposeRows(ImplicitLocOpBuilder &b, SmallVector<Value> rows) {
  auto lanes = static_cast<int64_t>(rows.size());
  int64_t length = cast<VectorType>(rows.front().getType()).getDimSize(0);
  for (int64_t stage = lanes; stage > 1; stage /= 2) {
    SmallVector<Value> next;
    size_t half = rows.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      Value x = rows[i], y = rows[i + half];
      if (length == lanes) {
        next.push_back(interleave(b, x, y, 0, lanes / 2));
        next.push_back(interleave(b, x, y, lanes / 2, lanes / 2));
      } else {
        next.push_back(interleave(b, x, y, 0, length));
      }
    }
    length = std::min(length * 2, lanes);
    rows = std::move(next);
  }
  return rows;
}

void packPanel(ImplicitLocOpBuilder &b, const PackedMatrix &matrix, Value first,
               const PanelVectors &vectors, Value panel, Value to) {
  IndexMath m(b);
  PanelPacker packer(b, matrix, panel);
  for (auto [column, offset] : llvm::zip_equal(vectors.columns, vectors.offsets)) {
    packer.copy(vectors.lanes, vectors.width, m.add(first, column), m.add(to, offset));
  }
}

} // namespace convoy::kernels
