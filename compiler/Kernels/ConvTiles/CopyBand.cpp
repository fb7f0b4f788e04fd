// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the copy of a band. Bytes after the last channel of a layer are not initialized, because
// their weights are zero.

#include "Kernels/ConvTiles/ConvTiles.h"
#include "Kernels/Core/LoopNest.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class BandCopier : LoopNest {
public:
  BandCopier(KernelFunction &function, const ConvKernel &kernel, const TileBand &band,
             int64_t target, int64_t block)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.problem), band(band),
        target(target), block(block) {}

  void copy(Value batch, Value firstRow) {
    for (int64_t row = 0; row < band.rowPlanes(); ++row) {
      for (int64_t column = 0; column < band.columnPlanes(); ++column) {
        copyPlane(batch, firstRow, row, column);
      }
    }
  }

private:
  /// A row of the copy: its source, and its first pixel in the copy.
  struct Row {
    Value batch, row, pixel;
    int64_t columnPlane;
  };

  void copyPlane(Value batch, Value firstRow, int64_t rowPlane, int64_t columnPlane) {
    int64_t plane = (rowPlane * band.columnPlanes() + columnPlane) * band.planePixels();
    loop(band.planeRows, [&](Value i) {
      Row row{batch, add(mul(add(firstRow, i), p.strideRows), rowPlane - p.padTop),
              add(mul(i, band.pitch), plane), columnPlane};
      Value isInside =
          b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, row.row, index(p.inputRows));
      branch(isInside, [&] { copyRow(row); }, [&] { fill(row.pixel, band.pitch); });
    });
  }

  /// Copies the columns of one remainder of a row: left padding, input columns, right padding.
  void copyRow(const Row &row) {
    int64_t first = 0, last = band.pitch;
    while (first < last && columnOf(row, first) < 0) {
      ++first;
    }
    while (last > first && columnOf(row, last - 1) >= p.inputColumns) {
      --last;
    }
    fill(row.pixel, first);
    fill(add(row.pixel, last), band.pitch - last);
    if (first == last) {
      return;
    }
    int64_t perLayer = kTileRowBytes / block;
    int64_t inputBlocks = (p.inputChannels + block - 1) / block;
    int64_t full = inputBlocks / perLayer;
    if (full > 0) {
      loop(full, [&](Value layer) { copyColumns(row, layer, perLayer, first, last); });
    }
    if (inputBlocks % perLayer != 0) {
      copyColumns(row, index(full), inputBlocks % perLayer, first, last);
    }
  }

  /// Copies columns [first, last) of `count` blocks of a layer.
  void copyColumns(const Row &row, Value layer, int64_t count, int64_t first, int64_t last) {
    int64_t inputBlocks = (p.inputChannels + block - 1) / block;
    int64_t planeBytes = p.inputRows * p.inputColumns * block;
    Value plane = add(mul(row.batch, inputBlocks), mul(layer, kTileRowBytes / block));
    Value line = add(mul(row.row, p.inputColumns), columnOf(row, first));
    Value from = add(mul(plane, planeBytes), mul(line, block));
    Value to = placeOf(layer, add(row.pixel, first));
    loop(last - first, [&](Value i) {
      Value source = add(from, mul(i, p.strideColumns * block));
      Value place = add(to, mul(i, kTileRowBytes));
      for (int64_t k = 0; k < count; ++k) {
        Value loaded = b.create<vector::LoadOp>(bytes(block), function.operand(kernel.input),
                                                add(source, k * planeBytes));
        if (kernel.integers->isInputSigned) {
          loaded = b.create<arith::XOrIOp>(loaded, splat(block, 128));
        }
        b.create<vector::StoreOp>(loaded, function.scratch(), add(place, k * block));
      }
    });
  }

  /// Fills pixels with the byte that represents zero.
  void fill(Value pixel, int64_t pixels) {
    if (pixels == 0) {
      return;
    }
    Value zero = splat(kTileRowBytes, kernel.integers->unsignedZero());
    loop(band.layers(), [&](Value layer) {
      Value first = placeOf(layer, pixel);
      loop(pixels, [&](Value i) {
        b.create<vector::StoreOp>(zero, function.scratch(), add(first, mul(i, kTileRowBytes)));
      });
    });
  }

  int64_t columnOf(const Row &row, int64_t i) const {
    return i * p.strideColumns + row.columnPlane - p.padLeft;
  }
  Value placeOf(Value layer, Value pixel) {
    return add(add(mul(layer, band.layerBytes()), mul(pixel, kTileRowBytes)), target);
  }

  VectorType bytes(int64_t count) { return VectorType::get({count}, b.getI8Type()); }
  Value splat(int64_t count, int64_t byte) {
    return b.create<arith::ConstantOp>(
        DenseElementsAttr::get(bytes(count), static_cast<int8_t>(byte)));
  }

  KernelFunction &function;
  const ConvKernel &kernel;
  const ConvProblem &p;
  const TileBand &band;
  int64_t target, block;
};

} // namespace

void copyBand(KernelFunction &function, const ConvKernel &kernel, const TileBand &band,
              int64_t target, int64_t block, Value batch, Value firstRow) {
  BandCopier(function, kernel, band, target, block).copy(batch, firstRow);
}

} // namespace convoy::kernels
