// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits a convolution or a product with a constant matrix on register tiles, for any multiply. The
// input is blocked, planar or a matrix; the result is blocked. Column padding is resolved at
// compile time, row padding by loop bounds; no data is copied.
//
//     for task:                        # one step of the range: rows x panels
//       for panel: for pass of depth channels: for row: for tile of pixels
//         for block of channels: for kh: for kw: for step
//           sums[vectors][pixels] += w[vectors] * x[pixels]
//
// If the weights have zero points, the task first computes the sums of the inputs of its pixels
// with the panel of ones (`dot_weights`) and keeps them in scratch memory.
//
// If groups are computed as one, the blocks of channels of a panel are those of its window
// (GroupWindows.h).

#pragma once

#include "Kernels/Core/GroupWindows.h"
#include "Kernels/Core/PanelPlaces.h"
#include "Kernels/Core/RegisterTile.h"
#include "Kernels/Core/Tiles.h"
#include "Kernels/KernelFunction.h"

namespace convoy::kernels {

/// How a convolution is split into tasks and tiles, and what it prefetches.
struct ConvTiling {
  int64_t vectors = 1;      // blocks of output channels per tile
  int64_t pixels = 1;       // maximum number of pixels per tile
  int64_t columns = 0;      // pixels per row after joining or splitting rows; 0: rows are unchanged
  int64_t rows = 1;         // rows per task
  int64_t panels = 1;       // tiles of output channels per task
  int64_t channelBlock = 1; // input channels that are contiguous in the weights
  int64_t depth = 0;        // input channels per pass; 0: one pass
  int64_t unroll = 0;       // steps that are unrolled; 0: all steps of a block of channels
  int64_t fetchWeights = 0; // cache lines of the next pass's weights per unrolled steps
  int64_t fetchPixels = 0;  // prefetch every n-th pixel of the next block of channels; 0: none
  bool rowsFirst = false;   // all panels of a row before the next row; only without passes
  bool fetchResult = false; // prefetch the result and added operands of a tile before its sums
  bool canStoreSums = false; // the result can hold sums without the epilogue
  /// Set if groups are computed as one. The problem then has one group, and there is one pass.
  std::optional<GroupWindows> windows;
};

/// Returns the bits of the sums that the multiply of an integer kernel returns.
int64_t sumBits(const ConvKernel &kernel);

/// Returns the tiling of a configuration, without its passes and prefetches.
template <typename ConfigT>
ConvTiling tilingOf(ConfigT config, int64_t channelBlock) {
  ConvTiling tiling;
  tiling.vectors = config.getVectors();
  tiling.pixels = config.getPixels();
  tiling.columns = config.getColumns();
  tiling.rows = config.getRows();
  tiling.panels = config.getPanels();
  tiling.channelBlock = channelBlock;
  return tiling;
}

/// Returns the bytes of scratch memory that the emitter needs: the sums of the inputs of a task.
int64_t inputSumBytes(const ConvKernel &kernel, const ConvTiling &tiling);

class ConvEmitter : LoopNest {
public:
  ConvEmitter(KernelFunction &function, const ConvKernel &kernel, const ConvTiling &tiling,
              Multiply &multiply, KernelEmitter &elements);

  /// Emits the body and returns the range.
  int64_t emit();
  int64_t panelChunks() const { return kernels::ceilDiv(panels, t.panels); }
  /// Returns whether memory of the result holds sums without the epilogue at some time.
  bool storesSums() const { return passes() > 1 || isEpilogueInLoop(); }

private:
  using Values = LoopNest::Values;

  /// Distances in memory, in elements.
  struct Strides {
    int64_t batch, block, channel, row, pixel;
  };
  /// The position of a tile: panel, pixels and vectors. Dynamic parts are values.
  struct Tile {
    mlir::Value batch, group, panel, row, column;
    mlir::Value firstRow;             // of the task
    mlir::Value firstBlock, endBlock; // of the window of the panel, if groups are computed as one
    bool isOfOnes = false;
    mlir::Value
        fetched; // offset of the weights to prefetch from the start of this pass, in elements
    int64_t vectors = 0;
    const TileRun *run = nullptr;
  };
  /// The addresses of a block of input channels at one row of taps.
  struct BlockPlace {
    mlir::Value input, weight; // of the first tap
    mlir::Value pass;          // first weight of the pass
    mlir::Value firstTap;      // number of taps of this pass before this one
    int64_t steps;
  };

  void setStrides(bool isBlocked);
  void emitTask(mlir::Value task);
  void emitInputSums(Tile tile, mlir::Value rowHigh);
  void setWindow(Tile &tile);
  void emitPanels(const Tile &tile, mlir::Value panelLow, mlir::Value rowLow, mlir::Value rowHigh);
  void emitPanel(Tile tile, mlir::Value rowLow, mlir::Value rowHigh);
  void emitRow(const Tile &tile, mlir::Value pass);
  void emitTile(const Tile &tile, mlir::Value pass);

  Values accumulatePass(const Tile &tile, mlir::Value pass, Values sums);
  Values accumulateWindow(const Tile &tile, mlir::Value pass, Values sums);
  Values accumulateBlock(const Tile &tile, mlir::Value pass, mlir::Value channels, int64_t steps,
                         Values sums);
  Values accumulateTaps(const Tile &tile, const BlockPlace &place, Values sums);
  mlir::SmallVector<int64_t> firstTapsOf(const TileRun &run) const;
  bool isRare(const TileRun &run) const;
  Values accumulateTap(const Tile &tile, const BlockPlace &place, mlir::Value tap,
                       std::optional<int64_t> fixedTap, Values sums);
  Values accumulate(const Tile &tile, mlir::Value input, mlir::Value weight,
                    std::optional<int64_t> fixedTap, int64_t steps, Values sums);

  void fetch(mlir::Value memory, mlir::Value offset, int locality);
  void fetchResult(const Tile &tile);
  void fetchInput(const Tile &tile, mlir::Value input, mlir::Value step, int64_t steps);
  void fetchWeights(const Tile &tile, const BlockPlace &place, mlir::Value step);

  Values start(const Tile &tile);
  Values loadSums(const Tile &tile);
  Values addPaddingRows(const Tile &tile, Values sums);
  void finish(const Tile &tile, mlir::Value pass, llvm::ArrayRef<mlir::Value> sums);
  void storeSums(const Tile &tile, llvm::ArrayRef<mlir::Value> sums);
  void storeInputSums(const Tile &tile, llvm::ArrayRef<mlir::Value> sums);
  mlir::Value inputSumOffset(const Tile &tile, int64_t pixel);
  void finishCells(const Tile &tile, llvm::ArrayRef<mlir::Value> sums);
  void finishCells(const Tile &tile, int64_t v, llvm::ArrayRef<mlir::Value> sums);
  void finishStored(const Tile &tile);
  mlir::Value finalElement(const Tile &tile, mlir::Value block, mlir::Value pixelColumn,
                           mlir::Value sum);
  mlir::Value resultOffset(const Tile &tile, mlir::Value block, int64_t pixel);
  void storeElement(mlir::Value offset, mlir::Value element);
  bool isEpilogueInLoop() const;

  RegisterTile registersOf(const Tile &tile) const {
    return {multiply, tile.vectors, tile.run->pixels};
  }
  mlir::Value panelOf(const Tile &tile) {
    return tile.isOfOnes ? index(p.groups * panels) : add(mul(tile.group, panels), tile.panel);
  }
  /// The type of the sums that the multiply returns.
  mlir::IntegerType sumType() { return b.getIntegerType(sumBits(kernel)); }
  /// Returns the number of a block of output channels.
  mlir::Value blockOf(const Tile &tile, int64_t v) {
    return add(add(mul(tile.group, outputBlocks), mul(tile.panel, t.vectors)), v);
  }
  mlir::Value weightsOf(mlir::Value panel, mlir::Value channels);
  PanelBlock panelBlock(const Tile &tile, int64_t v);
  /// Returns the distance between the weights of adjacent steps.
  int64_t stepElements() const { return t.vectors * multiply.block * multiply.depth; }
  int64_t perPass() const { return t.depth / t.channelBlock; }
  int64_t passes() const { return t.depth == 0 ? 1 : kernels::ceilDiv(channelBlocks, perPass()); }
  int64_t fetchedPerTile() const;

  KernelFunction &function;
  const ConvKernel &kernel;
  const ConvProblem &p;
  ConvTiling t;
  Multiply &multiply;
  KernelEmitter &elements; // loads epilogue operands
  mlir::Value x, w;
  Buffer result;
  int64_t channelBlocks, outputBlocks, panels, columns, rows;
  PanelPlaces places;
  WindowAxis window;
  Strides in, out;
  std::vector<TileRun> runs;
};

} // namespace convoy::kernels
