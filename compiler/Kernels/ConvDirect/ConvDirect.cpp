// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Kernel.td documents. accumulate() is the micro-kernel: a tile of
// accumulators that sums one channel after another.

#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/Epilogue.h"
#include "Kernels/Core/InterleaveChains.h"
#include "Kernels/Core/Tiles.h"
#include "Kernels/KernelFunction.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

// Prefetch locality: the cache level to prefetch into.
constexpr int kFirstCache = 3;
constexpr int kSecondCache = 2;
constexpr int64_t kLineElements = 16;
/// The maximum number of epilogue ops that are unrolled for each accumulator.
constexpr int64_t kUnrolledEpilogueOps = 4;

/// Distances in memory, in elements.
struct Strides {
  int64_t batch, block, channel, row, pixel;
};

/// The position of a tile: panel, pixels and vectors. Dynamic parts are values.
struct Tile {
  Value batch, group, panel, row, column;
  Value fetched; // offset of the weights to prefetch from the start of this pass, in elements
  int64_t vectors;
  const TileRun *run;
};

/// The addresses of a block of input channels at one row of taps.
struct BlockPlace {
  Value input, weight; // of the first tap
  Value pass;          // first weight of the pass
  Value firstTap;      // number of taps of this pass before this one
  int64_t channels;
};

class ConvDirectEmitter {
public:
  ConvDirectEmitter(KernelFunction &function, const ConvKernel &kernel, ConvDirectAttr config,
                    int64_t vectorBytes)
      : function(function), b(function.b), kernel(kernel), p(kernel.problem), config(config),
        elements(function.b, vectorBytes),
        vector(VectorType::get({config.getBlock()}, function.b.getF32Type())),
        x(function.operand(kernel.input)), w(function.operand(kernel.weight)),
        y(function.result(0)) {
    Type inputType = function.body().getArgument(kernel.input).getType();
    auto weights = cast<ConvWeightsAttr>(
        graph::layoutOf(function.body().getArgument(kernel.weight).getType()));
    block = config.getBlock();
    channelBlock = weights.getI();
    channelBlocks = ceilDiv(p.inputChannels, channelBlock);
    outputBlocks = ceilDiv(p.outputChannels, block);
    panels = ceilDiv(outputBlocks, config.getVectors());
    bool isFlat = config.getColumns() != 0;
    columns = isFlat ? config.getColumns() : p.outputColumns;
    rows = p.outputRows * p.outputColumns / columns;
    setStrides(graph::channelBlock(inputType) != 0, isFlat);
    Window window = columnsWindow(isFlat);
    runs = cutRow(columns, config.getPixels(), window);
    function.bindOperands(elements);
  }

  int64_t emit();

private:
  using Accumulators = SmallVector<Value>;

  void setStrides(bool isBlocked, bool isFlat);
  Window columnsWindow(bool isFlat) const {
    return {isFlat ? columns : p.inputColumns, p.kernelColumns, p.strideColumns, p.dilationColumns,
            p.padLeft};
  }
  void emitTask(Value task);
  void emitPanel(Tile tile, Value rowLow, Value rowHigh);
  void emitRow(const Tile &tile, Value pass);
  void emitTile(const Tile &tile, Value pass);
  void fetchResult(const Tile &tile);
  void fetch(Value memory, Value offset, bool isWrite, int locality) {
    b.create<memref::PrefetchOp>(memory, ValueRange{offset}, isWrite, locality,
                                 /*isDataCache=*/true);
  }
  Accumulators start(const Tile &tile, Value pass);
  Accumulators accumulatePass(const Tile &tile, Value pass, Accumulators sums);
  Accumulators accumulateBlock(const Tile &tile, Value pass, Value channelBlockIndex,
                               int64_t channels, Accumulators sums);
  Accumulators accumulateTaps(const Tile &tile, const BlockPlace &place, Accumulators sums);
  Accumulators switchTap(const Tile &tile, const BlockPlace &place, Value tap, Accumulators sums);
  Accumulators accumulateTap(const Tile &tile, const BlockPlace &place, Value tap,
                             std::optional<int64_t> fixedTap, Accumulators sums);
  void fetchInput(const Tile &tile, Value input, Value step, int64_t steps);
  void fetchWeights(const Tile &tile, const BlockPlace &place, Value step);
  Accumulators accumulate(const Tile &tile, Value input, Value weight,
                          std::optional<int64_t> fixedTap, int64_t channels, Accumulators sums);
  std::pair<Value, Value> tapRows(const Tile &tile);
  void finish(const Tile &tile, Value pass, ArrayRef<Value> sums);
  void storeRaw(const Tile &tile, ArrayRef<Value> sums);
  void storeFinal(const Tile &tile, ArrayRef<Value> sums);
  Value finalElement(const Tile &tile, int64_t v, Value pixelColumn, Value sum);
  bool isEpilogueInLoop();
  void finishStored(const Tile &tile, int64_t v);
  Value resultOffset(const Tile &tile, int64_t v, int64_t pixel);

  // Index arithmetic.
  Value index(int64_t value) { return b.create<arith::ConstantIndexOp>(value); }
  Value add(Value lhs, Value rhs) { return b.createOrFold<arith::AddIOp>(lhs, rhs); }
  Value add(Value lhs, int64_t rhs) { return rhs == 0 ? lhs : add(lhs, index(rhs)); }
  Value mul(Value lhs, int64_t rhs) {
    return rhs == 1 ? lhs : b.createOrFold<arith::MulIOp>(lhs, index(rhs));
  }
  Value min(Value lhs, int64_t rhs) { return b.createOrFold<arith::MinSIOp>(lhs, index(rhs)); }
  Value max(Value lhs, int64_t rhs) { return b.createOrFold<arith::MaxSIOp>(lhs, index(rhs)); }
  Value isEqual(Value lhs, int64_t rhs) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs, index(rhs));
  }
  /// Returns the number of weights of one pass.
  int64_t passElements() const {
    return config.getDepth() * p.taps() * config.getVectors() * block;
  }
  int64_t fetchedPerTile() const {
    return config.getDepth() / config.getUnroll() * p.taps() * config.getFetch() * kLineElements;
  }
  int64_t passes() const { return ceilDiv(channelBlocks, config.getDepth() / channelBlock); }

  KernelFunction &function;
  ImplicitLocOpBuilder &b;
  const ConvKernel &kernel;
  const ConvProblem &p;
  ConvDirectAttr config;
  KernelEmitter elements; // loads epilogue operands
  VectorType vector;
  Value x, w, y;
  int64_t block, channelBlock, channelBlocks, outputBlocks, panels, columns, rows;
  Strides in, out;
  std::vector<TileRun> runs;
};

void ConvDirectEmitter::setStrides(bool isBlocked, bool isFlat) {
  int64_t pixels = p.inputRows * p.inputColumns;
  if (p.isMatrix) {
    in = {0, channelBlock, 1, 0, p.inputChannels};
    out = {0, block, 1, 0, outputBlocks * block};
  } else {
    int64_t blocks = ceilDiv(p.inputChannels * p.groups, block);
    in = isBlocked
             ? Strides{blocks * pixels * block, pixels * block, 1, p.inputColumns * block, block}
             : Strides{p.inputChannels * pixels, channelBlock * pixels, pixels, p.inputColumns, 1};
    int64_t outputPixels = p.outputRows * p.outputColumns;
    out = {p.groups * outputBlocks * outputPixels * block, outputPixels * block, 1,
           p.outputColumns * block, block};
  }
  if (isFlat) {
    in.row = columns * in.pixel;
    out.row = columns * out.pixel;
  }
}

int64_t ConvDirectEmitter::emit() {
  int64_t panelChunks = ceilDiv(panels, config.getPanels());
  int64_t rowChunks = ceilDiv(rows, config.getRows());
  if (passes() == 1 && !isEpilogueInLoop()) { // otherwise the result holds partial sums
    function.allowInPlace(addedOperands(kernel, function.body()));
  }
  elements.loop(function.begin(), function.end(), {}, [&](Value task, ValueRange) {
    emitTask(task);
    return SmallVector<Value>();
  });
  if (!p.isMatrix) {
    int64_t outputRows = columns / p.outputColumns; // rows joined to one
    function.setRows(p.batch * p.groups * panelChunks,
                     task::evenChunks(p.outputRows, config.getRows() * outputRows));
  }
  return p.batch * p.groups * rowChunks * panelChunks;
}

void ConvDirectEmitter::emitTask(Value task) {
  Lanes l(b, 1);
  int64_t panelChunks = ceilDiv(panels, config.getPanels());
  int64_t rowChunks = ceilDiv(rows, config.getRows());
  SmallVector<Index> at =
      l.delinearize(l.uniform(task), {p.batch, p.groups, panelChunks, rowChunks});
  Tile tile;
  tile.batch = at[0].base;
  tile.group = at[1].base;
  Value rowLow = mul(at[3].base, config.getRows());
  Value rowHigh = min(add(rowLow, config.getRows()), rows);
  Value panelLow = mul(at[2].base, config.getPanels());
  Value panelHigh = min(add(panelLow, config.getPanels()), panels);
  int64_t fullPanels = outputBlocks / config.getVectors();
  int64_t rest = outputBlocks % config.getVectors();
  if (fullPanels > 0) {
    elements.loop(panelLow, min(panelHigh, fullPanels), {}, [&](Value panel, ValueRange) {
      tile.panel = panel;
      tile.vectors = config.getVectors();
      emitPanel(tile, rowLow, rowHigh);
      return SmallVector<Value>();
    });
  }
  if (rest > 0) {
    // The last panel has fewer vectors, so it has separate code.
    elements.loop(max(panelLow, fullPanels), panelHigh, {}, [&](Value panel, ValueRange) {
      tile.panel = panel;
      tile.vectors = rest;
      emitPanel(tile, rowLow, rowHigh);
      return SmallVector<Value>();
    });
  }
}

void ConvDirectEmitter::emitPanel(Tile tile, Value rowLow, Value rowHigh) {
  int64_t tiles = ceilDiv(columns, config.getPixels());
  elements.loop(passes(), {}, [&](Value pass, ValueRange) {
    elements.loop(rowLow, rowHigh, {}, [&](Value row, ValueRange) {
      tile.row = row;
      Value nth = b.createOrFold<arith::SubIOp>(row, rowLow);
      tile.fetched = add(mul(nth, tiles * fetchedPerTile()), passElements());
      emitRow(tile, pass);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

void ConvDirectEmitter::emitRow(const Tile &inRow, Value pass) {
  Tile tile = inRow;
  int64_t tiles = 0;
  for (const TileRun &run : runs) {
    tile.run = &run;
    elements.loop(run.count, {}, [&](Value i, ValueRange) {
      tile.column = add(mul(i, run.pixels), run.first);
      tile.fetched = add(inRow.fetched, mul(add(i, tiles), fetchedPerTile()));
      emitTile(tile, pass);
      return SmallVector<Value>();
    });
    tiles += run.count;
  }
}

/// Prefetches the result of the tile and the operands that are added element by element, which have
/// the same offsets.
void ConvDirectEmitter::fetchResult(const Tile &tile) {
  SmallVector<unsigned> added = addedOperands(kernel, function.body());
  for (int64_t v = 0; v < tile.vectors; ++v) {
    for (int64_t pixel = 0; pixel < tile.run->pixels; ++pixel) {
      Value offset = resultOffset(tile, v, pixel);
      fetch(y, offset, /*isWrite=*/false, kSecondCache);
      for (unsigned operand : added) {
        fetch(function.operand(operand), offset, /*isWrite=*/false, kSecondCache);
      }
    }
  }
}

void ConvDirectEmitter::emitTile(const Tile &tile, Value pass) {
  if (config.getFetchResult()) {
    fetchResult(tile);
  }
  Accumulators sums = start(tile, pass);
  sums = accumulatePass(tile, pass, sums);
  finish(tile, pass, sums);
}

/// Returns zeros in the first pass, otherwise the partial sums that the previous pass stored in the
/// result.
ConvDirectEmitter::Accumulators ConvDirectEmitter::start(const Tile &tile, Value pass) {
  int64_t count = tile.vectors * tile.run->pixels;
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
  Accumulators zeros(count, zero);
  if (passes() == 1) {
    return zeros;
  }
  SmallVector<Type> types(count, vector);
  auto branch = b.create<scf::IfOp>(types, isEqual(pass, 0), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  b.create<scf::YieldOp>(zeros);
  b.setInsertionPointToEnd(branch.elseBlock());
  Accumulators loaded;
  for (int64_t v = 0; v < tile.vectors; ++v) {
    for (int64_t pixel = 0; pixel < tile.run->pixels; ++pixel) {
      loaded.push_back(b.create<vector::LoadOp>(vector, y, resultOffset(tile, v, pixel)));
    }
  }
  b.create<scf::YieldOp>(loaded);
  return Accumulators(branch.getResults());
}

ConvDirectEmitter::Accumulators ConvDirectEmitter::accumulatePass(const Tile &tile, Value pass,
                                                                  Accumulators sums) {
  int64_t perPass = config.getDepth() / channelBlock;
  int64_t full = p.inputChannels / channelBlock;
  int64_t rest = p.inputChannels % channelBlock;
  auto body = [&](Value i, ValueRange carried) {
    return accumulateBlock(tile, pass, i, channelBlock, Accumulators(carried));
  };
  if (full > 0 && passes() == 1) {
    sums = elements.loop(full, sums, body);
  } else if (full > 0) {
    Value low = mul(pass, perPass);
    sums = elements.loop(low, min(add(low, perPass), full), sums, body);
  }
  if (rest == 0) {
    return sums;
  }
  auto last = [&](Value, ValueRange carried) {
    return accumulateBlock(tile, pass, index(full), rest, Accumulators(carried));
  };
  if (passes() == 1) {
    return last({}, sums);
  }
  // The remaining channels are summed once, in the last pass.
  Value isLast =
      b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), isEqual(pass, passes() - 1));
  return elements.loop(index(0), isLast, sums, last);
}

/// Returns the range [low, high) of rows of taps inside the input.
std::pair<Value, Value> ConvDirectEmitter::tapRows(const Tile &tile) {
  int64_t lastTap = (p.outputRows - 1) * p.strideRows + (p.kernelRows - 1) * p.dilationRows;
  bool isPadded = p.padTop > 0 || lastTap - p.padTop >= p.inputRows;
  if (!isPadded) {
    return {index(0), index(p.kernelRows)};
  }
  auto ceilOf = [&](Value value) {
    return p.dilationRows == 1 ? value
                               : b.createOrFold<arith::CeilDivSIOp>(value, index(p.dilationRows));
  };
  Value above = b.createOrFold<arith::SubIOp>(index(p.padTop), mul(tile.row, p.strideRows));
  Value low = max(ceilOf(above), 0);
  Value high = min(ceilOf(add(above, p.inputRows)), p.kernelRows);
  return {low, high};
}

ConvDirectEmitter::Accumulators ConvDirectEmitter::accumulateBlock(const Tile &tile, Value pass,
                                                                   Value channelBlockIndex,
                                                                   int64_t channels,
                                                                   Accumulators sums) {
  int64_t panelWidth = config.getVectors() * block;
  // Offsets that do not depend on the row of taps.
  Value group = add(mul(tile.group, channelBlocks), channelBlockIndex);
  Value column = add(mul(tile.column, p.strideColumns), -p.padLeft);
  Value input = add(add(mul(tile.batch, in.batch), mul(group, in.block)), mul(column, in.pixel));
  Value panel = add(mul(tile.group, panels), tile.panel);
  Value weightBlock = add(mul(panel, channelBlocks), channelBlockIndex);
  Value weight = mul(weightBlock, p.taps() * channelBlock * panelWidth);
  Value blockInPass =
      b.createOrFold<arith::SubIOp>(channelBlockIndex, mul(pass, config.getDepth() / channelBlock));
  auto body = [&](Value tapRow, ValueRange carried) {
    Value row = add(add(mul(tile.row, p.strideRows), mul(tapRow, p.dilationRows)), -p.padTop);
    BlockPlace place;
    place.input = add(input, mul(row, in.row));
    place.weight = add(weight, mul(tapRow, p.kernelColumns * channelBlock * panelWidth));
    Value passStart = add(mul(panel, channelBlocks), mul(pass, config.getDepth() / channelBlock));
    place.pass = mul(passStart, p.taps() * channelBlock * panelWidth);
    place.firstTap = mul(add(mul(blockInPass, p.kernelRows), tapRow), p.kernelColumns);
    place.channels = channels;
    return accumulateTaps(tile, place, Accumulators(carried));
  };
  if (p.kernelRows == 1 && p.padTop == 0) {
    return body(index(0), sums);
  }
  auto [low, high] = tapRows(tile);
  return elements.loop(low, high, sums, body);
}

/// Emits a loop over the taps of a row. In an edge tile each tap skips other pixels, so each tap
/// has separate code in a case of a switch. Straight-line code would let LLVM keep pixels that
/// several taps read in registers, which the accumulators need.
ConvDirectEmitter::Accumulators
ConvDirectEmitter::accumulateTaps(const Tile &tile, const BlockPlace &place, Accumulators sums) {
  if (tile.run->isInside) {
    return elements.loop(p.kernelColumns, sums, [&](Value tap, ValueRange carried) {
      return accumulateTap(tile, place, tap, std::nullopt, Accumulators(carried));
    });
  }
  return elements.loop(p.kernelColumns, sums, [&](Value tap, ValueRange carried) {
    return switchTap(tile, place, tap, Accumulators(carried));
  });
}

ConvDirectEmitter::Accumulators ConvDirectEmitter::switchTap(const Tile &tile,
                                                             const BlockPlace &place, Value tap,
                                                             Accumulators sums) {
  auto cases = llvm::to_vector(
      llvm::seq<int64_t>(0, p.kernelColumns - 1)); // the last one is the default case
  SmallVector<Type> types(sums.size(), vector);
  auto choice = b.create<scf::IndexSwitchOp>(types, tap, cases, cases.size());
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Region &region, int64_t fixedTap) {
    b.setInsertionPointToStart(&region.emplaceBlock());
    b.create<scf::YieldOp>(accumulateTap(tile, place, index(fixedTap), fixedTap, sums));
  };
  for (auto [fixedTap, region] : llvm::zip(cases, choice.getCaseRegions())) {
    fill(region, fixedTap);
  }
  fill(choice.getDefaultRegion(), p.kernelColumns - 1);
  return Accumulators(choice.getResults());
}

ConvDirectEmitter::Accumulators ConvDirectEmitter::accumulateTap(const Tile &tile,
                                                                 const BlockPlace &place, Value tap,
                                                                 std::optional<int64_t> fixedTap,
                                                                 Accumulators sums) {
  int64_t panelWidth = config.getVectors() * block;
  Value input = add(place.input, mul(tap, p.dilationColumns * in.pixel));
  Value weight = add(place.weight, mul(tap, channelBlock * panelWidth));
  int64_t unroll = std::min(config.getUnroll(), place.channels);
  int64_t steps = place.channels / unroll;
  Value stepsBefore = mul(add(place.firstTap, tap), channelBlock / unroll);
  sums = elements.loop(steps, sums, [&](Value i, ValueRange carried) {
    fetchWeights(tile, place, add(stepsBefore, i));
    fetchInput(tile, input, i, steps);
    return accumulate(tile, add(input, mul(i, unroll * in.channel)),
                      add(weight, mul(i, unroll * panelWidth)), fixedTap, unroll,
                      Accumulators(carried));
  });
  int64_t done = steps * unroll;
  return accumulate(tile, add(input, done * in.channel), add(weight, done * panelWidth), fixedTap,
                    place.channels - done, sums);
}

/// Prefetches this step's share of the next block's pixels. With a single tap, each pixel is used
/// only once, and its cache lines are too far apart for the hardware prefetcher.
void ConvDirectEmitter::fetchInput(const Tile &tile, Value input, Value step, int64_t steps) {
  bool isBlocked = in.channel == 1 && in.pixel == block;
  // A longer block spans several cache lines and is streamed.
  if (p.taps() > 1 || !isBlocked || block > kLineElements) {
    return;
  }
  int64_t share = ceilDiv(tile.run->pixels, steps);
  Value first = add(add(input, in.block), mul(step, share * p.strideColumns * in.pixel));
  for (int64_t i = 0; i < share; ++i) {
    fetch(x, add(first, i * p.strideColumns * in.pixel), /*isWrite=*/false, kFirstCache);
  }
}

/// Prefetches this step's share of the next pass's weights.
void ConvDirectEmitter::fetchWeights(const Tile &tile, const BlockPlace &place, Value step) {
  Value first = add(add(place.pass, tile.fetched), mul(step, config.getFetch() * kLineElements));
  for (int64_t line = 0; line < config.getFetch(); ++line) {
    fetch(w, add(first, line * kLineElements), /*isWrite=*/false, kSecondCache);
  }
}

/// The micro-kernel: sums += weights of `channels` channels times their pixels.
ConvDirectEmitter::Accumulators ConvDirectEmitter::accumulate(const Tile &tile, Value input,
                                                              Value weight,
                                                              std::optional<int64_t> fixedTap,
                                                              int64_t channels, Accumulators sums) {
  int64_t panelWidth = config.getVectors() * block;
  int64_t pixels = tile.run->pixels;
  Window window = columnsWindow(config.getColumns() != 0);
  for (int64_t channel = 0; channel < channels; ++channel) {
    SmallVector<Value> weights;
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Value offset = add(weight, channel * panelWidth + v * block);
      weights.push_back(b.create<vector::LoadOp>(vector, w, offset));
    }
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      if (fixedTap && !window.isValid(tile.run->first + pixel, *fixedTap)) {
        continue;
      }
      Value offset = add(input, pixel * p.strideColumns * in.pixel + channel * in.channel);
      Value scalar = b.create<memref::LoadOp>(x, offset);
      Value spread = b.create<vector::BroadcastOp>(vector, scalar);
      for (int64_t v = 0; v < tile.vectors; ++v) {
        Value &sum = sums[v * pixels + pixel];
        sum = b.create<math::FmaOp>(weights[v], spread, sum);
      }
    }
  }
  return sums;
}

Value ConvDirectEmitter::resultOffset(const Tile &tile, int64_t v, int64_t pixel) {
  Value channel = add(add(mul(tile.group, outputBlocks), mul(tile.panel, config.getVectors())), v);
  Value offset = add(mul(tile.batch, out.batch), mul(channel, out.block));
  offset = add(offset, add(mul(tile.row, out.row), mul(tile.column, out.pixel)));
  return add(offset, pixel * out.pixel);
}

void ConvDirectEmitter::finish(const Tile &tile, Value pass, ArrayRef<Value> sums) {
  if (passes() == 1) {
    storeFinal(tile, sums);
    return;
  }
  auto branch = b.create<scf::IfOp>(isEqual(pass, passes() - 1), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  storeFinal(tile, sums);
  b.setInsertionPoint(branch.elseYield());
  storeRaw(tile, sums);
}

void ConvDirectEmitter::storeRaw(const Tile &tile, ArrayRef<Value> sums) {
  for (int64_t v = 0; v < tile.vectors; ++v) {
    for (int64_t pixel = 0; pixel < tile.run->pixels; ++pixel) {
      Value sum = sums[v * tile.run->pixels + pixel];
      b.create<vector::StoreOp>(sum, y, resultOffset(tile, v, pixel));
    }
  }
}

/// A cheap epilogue of few ops is unrolled for each accumulator. Otherwise the sums are stored
/// first, and a loop applies the epilogue to them: unrolled, many ops would be too much code, and
/// expensive ops have no free registers to be interleaved.
void ConvDirectEmitter::storeFinal(const Tile &tile, ArrayRef<Value> sums) {
  bool isInLoop = isEpilogueInLoop();
  if (isInLoop) {
    storeRaw(tile, sums);
  }
  for (int64_t v = 0; v < tile.vectors; ++v) {
    if (isInLoop) {
      finishStored(tile, v);
      continue;
    }
    for (int64_t pixel = 0; pixel < tile.run->pixels; ++pixel) {
      Value sum = sums[v * tile.run->pixels + pixel];
      Value element = finalElement(tile, v, add(tile.column, pixel), sum);
      b.create<vector::StoreOp>(element, y, resultOffset(tile, v, pixel));
    }
  }
}

/// Applies the epilogue to the stored sums of one vector of channels.
void ConvDirectEmitter::finishStored(const Tile &tile, int64_t v) {
  auto finishPixels = [&](Value first, int64_t count) {
    interleaveChains(b, count, [&](int64_t i) {
      Value pixel = add(first, i);
      Value offset = add(resultOffset(tile, v, 0), mul(pixel, out.pixel));
      Value sum = b.create<vector::LoadOp>(vector, y, offset);
      Value element = finalElement(tile, v, add(tile.column, pixel), sum);
      b.create<vector::StoreOp>(element, y, offset);
    });
  };
  int64_t pixels = tile.run->pixels;
  int64_t chains = epilogueCycles(kernel) < kInterleavedCycles ? 1 : kInterleavedChains;
  int64_t groups = pixels / chains;
  if (groups > 0) {
    elements.loop(groups, {}, [&](Value group, ValueRange) {
      finishPixels(mul(group, chains), chains);
      return SmallVector<Value>();
    });
  }
  finishPixels(index(groups * chains), pixels % chains);
}

bool ConvDirectEmitter::isEpilogueInLoop() {
  int64_t ops = llvm::count_if(function.body().without_terminator(),
                               [](Operation &op) { return !isa<graph::ConstantOp>(op); });
  return ops - 1 > kUnrolledEpilogueOps || epilogueCycles(kernel) >= kInterleavedCycles;
}

/// Applies the epilogue ops to one vector of sums.
Value ConvDirectEmitter::finalElement(const Tile &tile, int64_t v, Value pixelColumn, Value sum) {
  Lanes scalar(b, 1);
  Value channel = add(add(mul(tile.group, outputBlocks), mul(tile.panel, config.getVectors())), v);
  Index channels = elements.blockOfChannels(channel, block);
  Index column = scalar.uniform(pixelColumn);
  SmallVector<Index> at;
  if (config.getColumns() != 0) {
    // All rows are joined to one, of which no epilogue operand distinguishes rows, or a matrix is
    // split into parts.
    column = scalar.uniform(add(mul(tile.row, columns), column.base));
  }
  if (p.isMatrix) {
    at = {column, channels};
  } else {
    at = {scalar.uniform(tile.batch), channels};
    bool hasRows = cast<RankedTensorType>(kernel.op->getResult(0).getType()).getRank() == 4;
    if (hasRows) {
      at.push_back(config.getColumns() != 0 ? scalar.constant(0) : scalar.uniform(tile.row));
    }
    at.push_back(column);
    if (config.getColumns() != 0 && p.outputColumns == 1) {
      std::swap(at[2], at[3]); // The index along a dimension of size 1 is ignored.
    }
  }
  return finishElement(elements, kernel, at, sum, block);
}

} // namespace

LogicalResult lowerConvDirect(task::KernelOp kernel, ConvDirectAttr config, int64_t vectorBytes) {
  std::optional<ConvKernel> matched = matchConvKernel(kernel.getBody().front());
  if (!matched) {
    return kernel.emitOpError("has the configuration ")
           << config
           << ", but no convolution that the template supports; this is a bug in convoy's layout "
              "stage";
  }
  KernelFunction function(kernel);
  function.finish(ConvDirectEmitter(function, *matched, config, vectorBytes).emit());
  return success();
}

} // namespace convoy::kernels
