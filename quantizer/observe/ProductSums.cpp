// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products of a block of rows are summed in float in a tile of registers, and the tile is
// added to sums in double. So the sums of many positions stay exact enough to be inverted.

#include "quantizer/observe/ProductSums.h"
#include "quantizer/observe/Vectors.h"
#include <algorithm>

namespace convoy::quantizer {
namespace {

constexpr int64_t kBlockRows = 64;
constexpr int64_t kTileRows = 4, kTileVectors = 2, kTileColumns = kTileVectors * kVectorLanes;

/// The rows of a block: columns of one group, which begin at `elements` in the first row.
struct Block {
  const float *elements = nullptr;
  int64_t rows = 0, stride = 0;
};

/// Adds the products of the columns i, i + 1, ... and the columns j, j + 1, ... to a tile of sums.
CONVOY_INLINE void addTile(const Block &block, int64_t i, int64_t j, double *sums,
                           int64_t sumStride) {
  FloatVector tile[kTileRows][kTileVectors] = {};
  for (int64_t row = 0; row < block.rows; ++row) {
    const float *elements = block.elements + row * block.stride;
    FloatVector right[kTileVectors];
    for (int64_t k = 0; k < kTileVectors; ++k) {
      load(elements + j + k * kVectorLanes, right[k]);
    }
    for (int64_t line = 0; line < kTileRows; ++line) {
      for (int64_t k = 0; k < kTileVectors; ++k) {
        tile[line][k] += elements[i + line] * right[k];
      }
    }
  }
  for (int64_t line = 0; line < kTileRows; ++line) {
    for (int64_t column = 0; column < kTileColumns; ++column) {
      sums[line * sumStride + column] += tile[line][column / kVectorLanes][column % kVectorLanes];
    }
  }
}

/// Adds the products of all columns: the tiles on and above the diagonal.
CONVOY_INLINE void addTiles(const Block &block, double *sums, int64_t columns) {
  for (int64_t i = 0; i < columns; i += kTileRows) {
    for (int64_t j = i / kTileColumns * kTileColumns; j < columns; j += kTileColumns) {
      addTile(block, i, j, sums + i * columns + j, columns);
    }
  }
}

#ifdef CONVOY_HAS_AVX2_CLONES
CONVOY_AVX2 void addTilesAvx2(const Block &block, double *sums, int64_t columns) {
  addTiles(block, sums, columns);
}
#else
void addTilesAvx2(const Block &, double *, int64_t) {}
#endif

int64_t paddedTaps(int64_t taps) { return (taps + kTileColumns - 1) / kTileColumns * kTileColumns; }

} // namespace

ProductSums::ProductSums(const LayerGeometry &geometry, bool hasProducts)
    : groups(geometry.groups), taps(geometry.taps), padded(paddedTaps(geometry.taps)),
      rows(kBlockRows * groups * padded), sums(groups, std::vector<double>(taps)) {
  if (hasProducts) {
    products.assign(groups, std::vector<double>(padded * padded));
  }
}

int64_t ProductSums::bytesFor(const LayerGeometry &geometry, bool hasProducts) {
  int64_t padded = paddedTaps(geometry.taps);
  int64_t rowBytes = kBlockRows * geometry.groups * padded * static_cast<int64_t>(sizeof(float));
  return rowBytes + (hasProducts ? geometry.groups * padded * padded : 0) *
                        static_cast<int64_t>(sizeof(double));
}

float *ProductSums::nextRow() {
  if (waiting == kBlockRows) {
    flush();
  }
  return rows.data() + waiting++ * groups * padded;
}

void ProductSums::flush() {
  int64_t rowStride = groups * padded;
  bool isAvx2 = hasAvx2();
  for (int64_t group = 0; group < groups; ++group) {
    const float *block = rows.data() + group * padded;
    for (int64_t row = 0; row < waiting; ++row) {
      for (int64_t tap = 0; tap < taps; ++tap) {
        sums[group][tap] += block[row * rowStride + tap];
      }
    }
    if (!products.empty()) {
      Block columns{block, waiting, rowStride};
      isAvx2 ? addTilesAvx2(columns, products[group].data(), padded)
             : addTiles(columns, products[group].data(), padded);
    }
  }
  positions += waiting;
  waiting = 0;
}

void ProductSums::merge(ProductSums &other) {
  flush();
  other.flush();
  positions += other.positions;
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      sums[group][tap] += other.sums[group][tap];
    }
    for (size_t i = 0; !products.empty() && i < products[group].size(); ++i) {
      products[group][i] += other.products[group][i];
    }
  }
}

InputProducts ProductSums::take() {
  flush();
  InputProducts result;
  result.taps = taps;
  result.positions = positions;
  result.sums = std::move(sums);
  for (std::vector<double> &group : products) {
    std::vector<double> full(taps * taps);
    for (int64_t i = 0; i < taps; ++i) {
      for (int64_t j = i; j < taps; ++j) {
        full[i * taps + j] = full[j * taps + i] = group[i * padded + j];
      }
    }
    result.products.push_back(std::move(full));
    group = {};
  }
  return result;
}

} // namespace convoy::quantizer
