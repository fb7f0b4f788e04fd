// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loops of a convolution from tasks to the steps of a register tile. ConvResult.cpp emits
// the start and the end of the sums of a tile.

#include "Kernels/Core/ConvEmitter.h"
#include "Kernels/Core/Edges.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

// Prefetch locality: the cache level to prefetch into.
constexpr int kFirstCache = 3;
constexpr int kSecondCache = 2;
constexpr int64_t kLineElements = 16;
/// Few pixels of a row are in an edge tile if the row is at least this many times as long. An edge
/// tile whose steps are not unrolled takes up to 1.3 times as long: of 256 pixels in tiles of 14,
/// 11 taps with dilation 5 took 1.06 times as long (AVX-512).
constexpr int64_t kLongRow = 64;
/// With more cases of taps, unrolled steps of edge tiles are most of the code of a kernel.
constexpr size_t kMostUnrolledCases = 2;

} // namespace

ConvEmitter::ConvEmitter(KernelFunction &function, const ConvKernel &kernel,
                         const ConvTiling &tiling, Multiply &multiply, KernelEmitter &elements)
    : LoopNest(function.b), function(function), kernel(kernel), p(kernel.problem), t(tiling),
      multiply(multiply), elements(elements), x(function.operand(kernel.input)),
      w(function.operand(kernel.weight)),
      result{function.result(0), elements.type(function.body().getTerminator()->getOperand(0))},
      channelBlocks(kernels::ceilDiv(p.inputChannels, t.channelBlock)),
      outputBlocks(kernels::ceilDiv(p.outputChannels, multiply.block)),
      panels(kernels::ceilDiv(outputBlocks, t.vectors)),
      columns(t.columns != 0 ? t.columns : p.outputColumns),
      rows(p.outputRows * p.outputColumns / columns),
      places(t.windows ? t.windows->most() * t.channelBlock : p.inputChannels, p.taps(),
             t.vectors * multiply.block, t.channelBlock, multiply.depth, multiply.head),
      window{t.columns != 0 ? columns : p.inputColumns, p.kernelColumns, p.strideColumns,
             p.dilationColumns, p.padLeft},
      runs(cutRow(columns, t.pixels, window)) {
  setStrides(graph::channelBlock(function.body().getArgument(kernel.input).getType()) != 0);
  function.bindOperands(elements);
}

void ConvEmitter::setStrides(bool isBlocked) {
  int64_t pixels = p.inputRows * p.inputColumns;
  int64_t block = multiply.block;
  if (p.isMatrix) {
    in = {0, t.channelBlock, 1, 0, p.inputChannels};
    out = {0, block, 1, 0, outputBlocks * block};
  } else if (isBlocked) {
    int64_t blocks = kernels::ceilDiv(p.inputChannels * p.groups, t.channelBlock);
    int64_t plane = pixels * t.channelBlock;
    in = {blocks * plane, plane, 1, p.inputColumns * t.channelBlock, t.channelBlock};
  } else {
    in = {p.inputChannels * pixels, t.channelBlock * pixels, pixels, p.inputColumns, 1};
  }
  if (!p.isMatrix) {
    int64_t plane = p.outputRows * p.outputColumns * block;
    out = {p.groups * outputBlocks * plane, plane, 1, p.outputColumns * block, block};
  }
  if (t.columns != 0) {
    in.row = columns * in.pixel;
    out.row = columns * out.pixel;
  }
}

int64_t ConvEmitter::emit() {
  loop(function.begin(), function.end(), [&](Value task) { emitTask(task); });
  return p.batch * p.groups * kernels::ceilDiv(rows, t.rows) * panelChunks();
}

void ConvEmitter::emitTask(Value task) {
  Lanes l(b, 1);
  SmallVector<Index> at = l.delinearize(
      l.uniform(task), {p.batch, p.groups, panelChunks(), kernels::ceilDiv(rows, t.rows)});
  Tile tile;
  tile.batch = at[0].base;
  tile.group = at[1].base;
  tile.firstRow = mul(at[3].base, t.rows);
  Value rowHigh = min(add(tile.firstRow, t.rows), rows);
  if (kernel.correctsWeights()) {
    emitInputSums(tile, rowHigh);
  }
  Value panelLow = mul(at[2].base, t.panels);
  if (!t.rowsFirst) {
    return emitPanels(tile, panelLow, tile.firstRow, rowHigh);
  }
  loop(tile.firstRow, rowHigh, [&](Value row) { emitPanels(tile, panelLow, row, add(row, 1)); });
}

/// Emits the panels of a task from `panelLow` on, for the rows [rowLow, rowHigh).
void ConvEmitter::emitPanels(const Tile &task, Value panelLow, Value rowLow, Value rowHigh) {
  Value panelHigh = min(add(panelLow, t.panels), panels);
  auto emit = [&](Value low, Value high, int64_t vectors) {
    loop(low, high, [&](Value panel) {
      Tile tile = task;
      tile.panel = panel;
      tile.vectors = vectors;
      setWindow(tile);
      emitPanel(tile, rowLow, rowHigh);
    });
  };
  int64_t fullPanels = outputBlocks / t.vectors;
  if (fullPanels > 0) {
    emit(panelLow, min(panelHigh, fullPanels), t.vectors);
  }
  if (int64_t rest = outputBlocks % t.vectors) { // The last panel has fewer vectors.
    emit(max(panelLow, fullPanels), panelHigh, rest);
  }
}

/// Sets the blocks of input channels that the panel reads if groups are computed as one.
void ConvEmitter::setWindow(Tile &tile) {
  if (!t.windows) {
    return;
  }
  const GroupWindows &windows = *t.windows;
  auto divide = [&](Value value, int64_t by) {
    return b.createOrFold<arith::DivUIOp>(value, index(by));
  };
  auto divideUp = [&](Value value, int64_t by) { return divide(add(value, by - 1), by); };
  Value first = mul(tile.panel, windows.o);
  Value end = min(add(first, windows.o), windows.groups * windows.outputs);
  tile.firstBlock = divide(mul(divide(first, windows.outputs), windows.inputs), windows.i);
  tile.endBlock = divideUp(mul(divideUp(end, windows.outputs), windows.inputs), windows.i);
  // The length of a window is known to the estimate of the kernel's time.
  tile.endBlock =
      b.createOrFold<arith::MinSIOp>(tile.endBlock, add(tile.firstBlock, windows.most()));
}

/// Multiplies the inputs with the panel of ones.
void ConvEmitter::emitInputSums(Tile tile, Value rowHigh) {
  tile.isOfOnes = true;
  tile.vectors = 1;
  loop(tile.firstRow, rowHigh, [&](Value row) {
    tile.row = row;
    emitRow(tile, index(0));
  });
}

int64_t ConvEmitter::fetchedPerTile() const {
  return t.fetchWeights == 0 ? 0 : t.depth / t.unroll * p.taps() * t.fetchWeights * kLineElements;
}

void ConvEmitter::emitPanel(Tile tile, Value rowLow, Value rowHigh) {
  int64_t tiles = kernels::ceilDiv(columns, t.pixels);
  loop(passes(), [&](Value pass) {
    loop(rowLow, rowHigh, [&](Value row) {
      tile.row = row;
      if (t.fetchWeights > 0) {
        Value nth = sub(row, rowLow);
        tile.fetched = add(mul(nth, tiles * fetchedPerTile()), perPass() * places.blockElements());
      }
      emitRow(tile, pass);
    });
  });
}

void ConvEmitter::emitRow(const Tile &inRow, Value pass) {
  Tile tile = inRow;
  int64_t tiles = 0;
  for (const TileRun &run : runs) {
    tile.run = &run;
    loop(run.count, [&](Value i) {
      tile.column = add(mul(i, run.pixels), run.first);
      if (t.fetchWeights > 0) {
        tile.fetched = add(inRow.fetched, mul(add(i, tiles), fetchedPerTile()));
      }
      emitTile(tile, pass);
    });
    tiles += run.count;
  }
}

/// Sums start with the values of the multiply or, after the first pass, with the partial sums that
/// the previous pass stored in the result.
void ConvEmitter::emitTile(const Tile &tile, Value pass) {
  if (t.fetchResult) {
    fetchResult(tile);
  }
  Values sums;
  if (passes() == 1) {
    sums = start(tile);
  } else {
    SmallVector<Type> types(tile.vectors * tile.run->pixels, multiply.type);
    sums = branch(
        isEqual(pass, 0), [&] { return start(tile); }, [&] { return loadSums(tile); }, types);
  }
  sums = accumulatePass(tile, pass, sums);
  tile.isOfOnes ? storeInputSums(tile, sums) : finish(tile, pass, sums);
}

/// Accumulates the blocks of channels of the panel's window. The last block of the input may have
/// fewer channels; only the last panels read it.
ConvEmitter::Values ConvEmitter::accumulateWindow(const Tile &tile, Value pass, Values sums) {
  int64_t full = p.inputChannels / t.channelBlock;
  int64_t rest = p.inputChannels % t.channelBlock;
  sums = loop(tile.firstBlock, min(tile.endBlock, full), std::move(sums), [&](Value i, Values now) {
    return accumulateBlock(tile, pass, i, t.channelBlock / multiply.depth, std::move(now));
  });
  if (rest == 0) {
    return sums;
  }
  Value low = max(tile.firstBlock, full);
  return loop(low, min(tile.endBlock, full + 1), std::move(sums), [&](Value i, Values now) {
    return accumulateBlock(tile, pass, i, kernels::ceilDiv(rest, multiply.depth), std::move(now));
  });
}

ConvEmitter::Values ConvEmitter::accumulatePass(const Tile &tile, Value pass, Values sums) {
  if (t.windows) {
    return accumulateWindow(tile, pass, std::move(sums));
  }
  int64_t full = p.inputChannels / t.channelBlock;
  int64_t rest = kernels::ceilDiv(p.inputChannels % t.channelBlock, multiply.depth);
  auto body = [&](Value i, Values carried) {
    return accumulateBlock(tile, pass, i, t.channelBlock / multiply.depth, std::move(carried));
  };
  if (full > 0 && passes() == 1) {
    sums = loop(full, std::move(sums), body);
  } else if (full > 0) {
    Value low = mul(pass, perPass());
    sums = loop(low, min(add(low, perPass()), full), std::move(sums), body);
  }
  if (rest == 0) {
    return sums;
  }
  auto last = [&](Value, Values carried) {
    return accumulateBlock(tile, pass, index(full), rest, std::move(carried));
  };
  if (passes() == 1) {
    return last({}, std::move(sums));
  }
  // The remaining channels are summed once, in the last pass.
  Value isLast =
      b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), isEqual(pass, passes() - 1));
  return loop(index(0), isLast, std::move(sums), last);
}

/// Returns the offset of the weights of a block of channels.
Value ConvEmitter::weightsOf(Value panel, Value channels) {
  if (places.head == 0) { // All blocks of all panels are one array.
    return mul(add(mul(panel, places.blocks), channels), places.blockElements());
  }
  Value first = add(mul(panel, places.panelElements()), mul(channels, places.blockElements()));
  return add(first, places.headElements());
}

ConvEmitter::Values ConvEmitter::accumulateBlock(const Tile &tile, Value pass, Value channels,
                                                 int64_t steps, Values sums) {
  // Offsets that do not depend on the row of taps.
  Value number = add(mul(tile.group, channelBlocks), channels);
  Value column = add(mul(tile.column, p.strideColumns), -p.padLeft);
  Value input = add(add(mul(tile.batch, in.batch), mul(number, in.block)), mul(column, in.pixel));
  Value panel = panelOf(tile);
  Value weight = weightsOf(panel, t.windows ? sub(channels, tile.firstBlock) : channels);
  Value before, blockInPass;
  if (t.fetchWeights > 0) {
    before = mul(pass, perPass());
    blockInPass = sub(channels, before);
  }
  auto body = [&](Value tapRow, Values carried) {
    Value row = add(add(mul(tile.row, p.strideRows), mul(tapRow, p.dilationRows)), -p.padTop);
    BlockPlace place;
    place.input = add(input, mul(row, in.row));
    place.weight = add(weight, mul(tapRow, p.kernelColumns * places.tapElements()));
    place.steps = steps;
    if (t.fetchWeights > 0) {
      place.pass = weightsOf(panel, before);
      place.firstTap = mul(add(mul(blockInPass, p.kernelRows), tapRow), p.kernelColumns);
    }
    return accumulateTaps(tile, place, std::move(carried));
  };
  if (p.kernelRows == 1 && !hasRowPadding(p)) {
    return body(index(0), std::move(sums));
  }
  auto [low, high] = tapRows(*this, p, tile.row, !multiply.ignoresPadding);
  return loop(low, high, std::move(sums), body);
}

ConvEmitter::Values ConvEmitter::accumulateTaps(const Tile &tile, const BlockPlace &place,
                                                Values sums) {
  SmallVector<int64_t> firstTaps = firstTapsOf(*tile.run);
  return loop(p.kernelColumns, std::move(sums), [&](Value tap, Values carried) {
    if (tile.run->isInside) {
      return accumulateTap(tile, place, tap, std::nullopt, std::move(carried));
    }
    SmallVector<Type> types(carried.size(), multiply.type);
    return switchTaps(*this, firstTaps, p.kernelColumns, tap, types, [&](Value at, int64_t first) {
      return accumulateTap(tile, place, at, first, carried);
    });
  });
}

/// Returns the taps that skip other pixels of a tile than the tap before them, and tap 0.
SmallVector<int64_t> ConvEmitter::firstTapsOf(const TileRun &run) const {
  SmallVector<int64_t> result = {0};
  for (int64_t tap = 1; tap < p.kernelColumns; ++tap) {
    bool isSame = llvm::all_of(llvm::seq<int64_t>(0, run.pixels), [&](int64_t pixel) {
      return window.isValid(run.first + pixel, tap) == window.isValid(run.first + pixel, tap - 1);
    });
    if (!isSame) {
      result.push_back(tap);
    }
  }
  return result;
}

/// Returns whether the code of a run is not unrolled and does not prefetch weights. Edge tiles have
/// the code of a step once per case of taps, and few pixels of a long row run it.
bool ConvEmitter::isRare(const TileRun &run) const {
  return !run.isInside && run.pixels * kLongRow <= columns &&
         firstTapsOf(run).size() > kMostUnrolledCases;
}

ConvEmitter::Values ConvEmitter::accumulateTap(const Tile &tile, const BlockPlace &place, Value tap,
                                               std::optional<int64_t> fixedTap, Values sums) {
  Value input = add(place.input, mul(tap, p.dilationColumns * in.pixel));
  Value weight = add(place.weight, mul(tap, places.tapElements()));
  bool isUnrolled = !isRare(*tile.run);
  bool fetches = t.fetchWeights > 0 && isUnrolled;
  int64_t unroll = t.unroll == 0 ? place.steps : std::min(t.unroll, place.steps);
  unroll = isUnrolled ? unroll : 1;
  int64_t inputElements = unroll * multiply.depth * in.channel;
  int64_t steps = place.steps / unroll;
  Value stepsBefore;
  if (fetches) {
    stepsBefore = mul(add(place.firstTap, tap), t.channelBlock / multiply.depth / unroll);
  }
  sums = loop(steps, std::move(sums), [&](Value i, Values carried) {
    if (fetches) {
      fetchWeights(tile, place, add(stepsBefore, i));
    }
    fetchInput(tile, input, i, steps);
    return accumulate(tile, add(input, mul(i, inputElements)),
                      add(weight, mul(i, unroll * stepElements())), fixedTap, unroll,
                      std::move(carried));
  });
  return accumulate(tile, add(input, steps * inputElements),
                    add(weight, steps * unroll * stepElements()), fixedTap, place.steps % unroll,
                    std::move(sums));
}

/// The micro-kernel: sums += weights of `steps` steps times their pixels.
ConvEmitter::Values ConvEmitter::accumulate(const Tile &tile, Value input, Value weight,
                                            std::optional<int64_t> fixedTap, int64_t steps,
                                            Values sums) {
  auto weights = [&](int64_t step, int64_t v) {
    return add(weight, step * stepElements() + v * multiply.block * multiply.depth);
  };
  auto inputs = [&](int64_t step, int64_t pixel) {
    bool isInside = !fixedTap || window.isValid(tile.run->first + pixel, *fixedTap);
    int64_t distance = pixel * p.strideColumns * in.pixel + step * multiply.depth * in.channel;
    return isInside ? add(input, distance) : Value();
  };
  return registersOf(tile).accumulate(steps, weights, inputs, std::move(sums));
}

void ConvEmitter::fetch(Value memory, Value offset, int locality) {
  b.create<memref::PrefetchOp>(memory, ValueRange{offset}, /*isWrite=*/false, locality,
                               /*isDataCache=*/true);
}

/// Prefetches this step's share of the next block's pixels. With a single tap, each pixel is used
/// only once, and its cache lines are too far apart for the hardware prefetcher.
void ConvEmitter::fetchInput(const Tile &tile, Value input, Value step, int64_t steps) {
  if (t.fetchPixels == 0) {
    return;
  }
  int64_t share = kernels::ceilDiv(tile.run->pixels, steps);
  int64_t pixel = p.strideColumns * in.pixel;
  Value first = add(add(input, in.block), mul(step, share * pixel));
  for (int64_t i = 0; i < share; i += t.fetchPixels) {
    fetch(x, add(first, i * pixel), kFirstCache);
  }
}

/// Prefetches this step's share of the next pass's weights.
void ConvEmitter::fetchWeights(const Tile &tile, const BlockPlace &place, Value step) {
  Value first = add(add(place.pass, tile.fetched), mul(step, t.fetchWeights * kLineElements));
  for (int64_t line = 0; line < t.fetchWeights; ++line) {
    fetch(w, add(first, line * kLineElements), kSecondCache);
  }
}

/// Prefetches the result of the tile and the operands that are added element by element, which have
/// the same offsets.
void ConvEmitter::fetchResult(const Tile &tile) {
  SmallVector<unsigned> added = addedOperands(kernel, function.body());
  for (int64_t v = 0; v < tile.vectors; ++v) {
    for (int64_t pixel = 0; pixel < tile.run->pixels; ++pixel) {
      Value offset = resultOffset(tile, blockOf(tile, v), pixel);
      fetch(result.memref, offset, kSecondCache);
      for (unsigned operand : added) {
        fetch(function.operand(operand), offset, kSecondCache);
      }
    }
  }
}

} // namespace convoy::kernels
