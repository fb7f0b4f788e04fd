// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a band's input for tile loads. A row of a tile holds 64 channels of a pixel. Pixels
// are contiguous and include padding. With a stride, rows and columns are grouped by their
// remainder modulo the stride. A tap is then the same distance for all pixels:
//
//     stride 2, 3 taps     columns 0 1 2 3 4 5 6   ->   0 2 4 6 | 1 3 5
//     tap 0 of pixel c is column 2c, tap 1 is 2c + 1, tap 2 is 2(c + 1)

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Core/TileRegisters.h"

namespace convoy::kernels {

struct TileBand {
  TileBand(const ConvProblem &p, int64_t rows, int64_t tiles)
      : p(p), rows(rows), pitch(p.outputColumns + (p.kernelColumns - 1) / p.strideColumns),
        planeRows(rows + (p.kernelRows - 1) / p.strideRows), groupPixels(tiles * kTileRows) {}

  /// Returns the number of remainders of rows that some tap reads.
  int64_t rowPlanes() const { return std::min(p.kernelRows, p.strideRows); }
  int64_t columnPlanes() const { return std::min(p.kernelColumns, p.strideColumns); }
  int64_t planePixels() const { return planeRows * pitch; }
  /// Returns whether the rows of the result are contiguous.
  bool isDense() const { return pitch == p.outputColumns; }
  /// Returns the pixels from the first to the last of the result, including the pixels between
  /// rows.
  int64_t pixels() const { return (rows - 1) * pitch + p.outputColumns; }
  int64_t groups() const { return (pixels() + groupPixels - 1) / groupPixels; }
  /// Returns the first pixel that a tap reads.
  int64_t tapPixel(int64_t row, int64_t column) const {
    int64_t plane = row % p.strideRows * columnPlanes() + column % p.strideColumns;
    return plane * planePixels() + row / p.strideRows * pitch + column / p.strideColumns;
  }
  /// Returns the number of layers of 64 channels. Each layer has extra memory for the pixels that
  /// the last tiles read past its end.
  int64_t layers() const { return (p.inputChannels + kTileRowBytes - 1) / kTileRowBytes; }
  int64_t layerBytes() const {
    return (rowPlanes() * columnPlanes() * planePixels() + groupPixels) * kTileRowBytes;
  }
  int64_t inputBytes() const { return layers() * layerBytes(); }

  const ConvProblem &p;
  int64_t rows, pitch, planeRows, groupPixels;
};

} // namespace convoy::kernels
