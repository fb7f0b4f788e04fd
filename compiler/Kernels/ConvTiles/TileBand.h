// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input of a band of output rows as tiles read it: 64 channels of a pixel are a row
// of a tile, pixels lie side by side with their padding, columns and rows of equal
// remainder by the stride together. A tap is then one distance for all pixels:
//
//     stride 2, 3 taps     columns 0 1 2 3 4 5 6   ->   0 2 4 6 | 1 3 5
//     tap 0 of pixel c is column 2c, tap 1 is 2c + 1, tap 2 is 2(c + 1)

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"

namespace convoy::kernels {

/// Rows of a tile register, the bytes of one, and those of all.
constexpr int64_t kTileRows = 16;
constexpr int64_t kTileRowBytes = 64;
constexpr int64_t kTileBytes = kTileRows * kTileRowBytes;

struct TileBand {
  TileBand(const ConvProblem &p, int64_t rows, int64_t tiles)
      : p(p), rows(rows), pitch(p.outputColumns + (p.kernelColumns - 1) / p.strideColumns),
        planeRows(rows + (p.kernelRows - 1) / p.strideRows), groupPixels(tiles * kTileRows) {}

  /// Planes of rows and columns of a remainder that some tap reads.
  int64_t rowPlanes() const { return std::min(p.kernelRows, p.strideRows); }
  int64_t columnPlanes() const { return std::min(p.kernelColumns, p.strideColumns); }
  int64_t planePixels() const { return planeRows * pitch; }
  /// Nothing lies between the rows of the result.
  bool isDense() const { return pitch == p.outputColumns; }
  /// Pixels from the first to the last of the result, those between rows included.
  int64_t pixels() const { return (rows - 1) * pitch + p.outputColumns; }
  int64_t groups() const { return (pixels() + groupPixels - 1) / groupPixels; }
  /// The first pixel that a tap reads.
  int64_t tapPixel(int64_t row, int64_t column) const {
    int64_t plane = row % p.strideRows * columnPlanes() + column % p.strideColumns;
    return plane * planePixels() + row / p.strideRows * pitch + column / p.strideColumns;
  }
  /// Layers of 64 channels; each with room for what the last tiles read beyond it.
  int64_t layers() const { return (p.inputChannels + kTileRowBytes - 1) / kTileRowBytes; }
  int64_t layerBytes() const {
    return (rowPlanes() * columnPlanes() * planePixels() + groupPixels) * kTileRowBytes;
  }
  int64_t inputBytes() const { return layers() * layerBytes(); }

  const ConvProblem &p;
  int64_t rows, pitch, planeRows, groupPixels;
};

} // namespace convoy::kernels
