// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits tasks, the input transform and the output transform. Transforms are loops over rows instead
// of unrolled code: a tile of 6 x 6 vectors does not fit in registers, so unrolled code would
// spill.

#include "Kernels/Winograd/WinogradEmitter.h"
#include "Kernels/Core/Epilogue.h"
#include "Kernels/Core/PartRounds.h"
#include "Kernels/Machine.h"
#include "Kernels/Winograd/Winograd.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace convoy::kernels {

WinogradEmitter::WinogradEmitter(KernelFunction &function, const ConvKernel &kernel,
                                 WinogradAttr config, int64_t vectorBytes)
    : LoopNest(function.b), function(function), kernel(kernel), p(kernel.problem), config(config),
      plan(p, config), elements(function.b, vectorBytes),
      vector(VectorType::get({config.getBlock()}, function.b.getF32Type())),
      block(config.getBlock()), isLong(block * 4 >= kLongVectorBytes),
      transforms(elements, config.getTile(), isLong), x(function.operand(kernel.input)),
      w(function.operand(kernel.weight)), y(function.result(0)) {
  function.bindOperands(elements);
  int64_t inputElements = plan.frequencies * plan.inputStride;
  transformed = function.scratchFloats(0, inputElements);
  products = function.scratchFloats(inputElements, plan.frequencies * plan.productStride);
  auto tileType = MemRefType::get({plan.frequencies * block}, b.getF32Type());
  half = b.create<memref::AllocaOp>(tileType);
  patch = b.create<memref::AllocaOp>(tileType);
}

Value WinogradEmitter::load(Value memory, Value offset) {
  return b.create<vector::LoadOp>(vector, memory, offset);
}

void WinogradEmitter::store(Value value, Value memory, Value offset) {
  b.create<vector::StoreOp>(value, memory, offset);
}

void WinogradEmitter::fetch(Value memory, Value offset, bool isWrite, int locality) {
  if (isLong) {
    return; // A long vector spans many cache lines; prefetching one of them does not help.
  }
  b.create<memref::PrefetchOp>(memory, ValueRange{offset}, isWrite, locality, /*isDataCache=*/true);
}

void WinogradEmitter::emit() {
  if (plan.hasRounds) {
    return emitRounds();
  }
  loop(function.begin(), function.end(), [&](Value task) { emitTask(task); });
  if (p.batch == 1) {
    std::vector<int64_t> ends = plan.rowEnds(p, config.getGroups());
    function.setRows(/*outer=*/1, SmallVector<int64_t>(ends.begin(), ends.end()), plan.chunks);
  }
  // Chunks of the same tiles share the transformed input.
  function.finish(plan.tileBlocks * plan.chunks, plan.chunks);
}

/// Emits three rounds: the tasks share the tiles of the input, then the groups of products, then
/// the tiles of the result.
void WinogradEmitter::emitRounds() {
  PartRounds rounds(function, kRoundParts);
  auto forTiles = [&](int64_t blocks, llvm::function_ref<void(Value, Value)> body) {
    rounds.loopItems(blocks * plan.tiles,
                     [&](Value i) { body(divide(i, plan.tiles), remainder(i, plan.tiles)); });
  };
  rounds.emit(/*repeats=*/1, /*phases=*/3, [&](int64_t phase, Value) {
    if (phase == 0) {
      forTiles(plan.inputBlocks, [&](Value channelBlock, Value tile) {
        Value to = add(mul(channelBlock, plan.inputPlane), mul(tile, block));
        emitInputTile(channelBlock, tile, to);
      });
    } else if (phase == 1) {
      rounds.loopItems(plan.frequencies * plan.panels * plan.groups, [&](Value i) {
        Value group = remainder(i, plan.groups), row = divide(i, plan.groups);
        Value panel = remainder(row, plan.panels);
        Task task{group,  add(group, 1), index(0), Value(), divide(panel, config.getPanels()),
                  Value()};
        emitPanel(task, divide(row, plan.panels), remainder(panel, config.getPanels()));
      });
    } else {
      forTiles(plan.outputBlocks, [&](Value channelBlock, Value tile) {
        Value from = add(mul(channelBlock, plan.productPlane), mul(tile, block));
        emitOutputTile(channelBlock, tile, from);
      });
    }
  });
}

/// Returns the first tile of a group. Longer groups come first.
Value WinogradEmitter::firstTile(Value group) {
  Value tile = mul(group, plan.groupTiles);
  return plan.longer == plan.groups ? tile : sub(tile, max(add(group, -plan.longer), 0));
}

void WinogradEmitter::emitTask(Value task) {
  Lanes l(b, 1);
  SmallVector<Index> at = l.delinearize(l.uniform(task), {plan.tileBlocks, plan.chunks});
  Task part;
  part.groupLow = mul(at[0].base, config.getGroups());
  part.groupHigh = min(add(part.groupLow, config.getGroups()), plan.groups);
  part.tileLow = firstTile(part.groupLow);
  part.tileHigh = firstTile(part.groupHigh);
  part.chunk = at[1].base;
  part.panels =
      min(sub(index(plan.panels), mul(part.chunk, config.getPanels())), config.getPanels());
  if (plan.chunks == 1) {
    emitInput(part);
  } else {
    // Chunks of the same tiles are consecutive tasks and share the transformed input.
    Value isFirstChunk = compare(CmpIPredicate::eq, part.chunk, 0);
    Value isFirst = b.createOrFold<arith::CmpIOp>(CmpIPredicate::eq, task, function.begin());
    branch(b.createOrFold<arith::OrIOp>(isFirstChunk, isFirst), [&] { emitInput(part); });
  }
  emitProducts(part);
  emitOutput(part);
}

WinogradEmitter::Place WinogradEmitter::placeOf(Value tile) {
  Lanes l(b, 1);
  SmallVector<Index> at =
      l.delinearize(l.uniform(tile), {p.batch, plan.tileRows, plan.tileColumns});
  return {at[0].base, mul(at[1].base, plan.tile), mul(at[2].base, plan.tile),
          compare(CmpIPredicate::eq, at[2].base, plan.tileColumns - 1)};
}

void WinogradEmitter::emitInput(const Task &task) {
  loop(plan.inputBlocks, [&](Value channelBlock) {
    loop(task.tileLow, task.tileHigh, [&](Value tile) {
      Value slot = sub(tile, task.tileLow);
      emitInputTile(channelBlock, tile, add(mul(channelBlock, plan.inputPlane), mul(slot, block)));
    });
  });
}

bool WinogradEmitter::isAlwaysInside() const {
  return p.padTop == 0 && p.padLeft == 0 && plan.tileRows * plan.tile + 2 <= p.inputRows &&
         plan.tileColumns * plan.tile + 2 <= p.inputColumns;
}

void WinogradEmitter::emitInputTile(Value channelBlock, Value tile, Value to) {
  int64_t rowStride = p.inputColumns * block;
  Place place = placeOf(tile);
  Value row = add(place.row, -p.padTop);
  Value column = add(place.column, -p.padLeft);
  Value image = add(mul(place.batch, plan.inputBlocks), channelBlock);
  Value base = mul(image, p.inputRows * rowStride);
  auto inside = [&] {
    Value from = add(base, add(mul(row, rowStride), mul(column, block)));
    transformTile(x, from, rowStride, to);
  };
  if (isAlwaysInside()) {
    inside();
    return;
  }
  auto both = [&](Value a, Value c) { return b.createOrFold<arith::AndIOp>(a, c); };
  auto fits = [&](Value low, int64_t size) {
    return both(compare(CmpIPredicate::sge, low, 0),
                compare(CmpIPredicate::sle, low, size - plan.side));
  };
  branch(both(fits(row, p.inputRows), fits(column, p.inputColumns)), inside, [&] {
    fillPatch(base, row, column);
    transformTile(patch, index(0), plan.side * block, to);
  });
}

Value WinogradEmitter::halfPlace(int64_t row, Value column) {
  return add(mul(column, block), row * plan.side * block);
}

/// Copies the pixels of the input; pixels outside the input are zero.
void WinogradEmitter::fillPatch(Value base, Value row, Value column) {
  auto source = [&](Value i, Value j) {
    Value pixel = add(mul(add(row, i), p.inputColumns), add(column, j));
    return load(x, add(base, mul(pixel, block)));
  };
  auto place = [&](Value i, Value j) { return mul(add(mul(i, plan.side), j), block); };
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
  if (isLong) {
    // Test each pixel separately. C compilers replace loops that only fill or copy by library
    // calls, and these calls do not use long vectors.
    auto isIn = [&](Value first, Value i, int64_t size) {
      return b.createOrFold<arith::CmpIOp>(CmpIPredicate::ult, add(first, i), index(size));
    };
    loop(plan.side, [&](Value i) {
      loop(plan.side, [&](Value j) {
        Value isInside = b.createOrFold<arith::AndIOp>(isIn(row, i, p.inputRows),
                                                       isIn(column, j, p.inputColumns));
        branch(
            isInside, [&] { store(source(i, j), patch, place(i, j)); },
            [&] { store(zero, patch, place(i, j)); });
      });
    });
    return;
  }
  loop(plan.frequencies, [&](Value i) { store(zero, patch, mul(i, block)); });
  auto range = [&](Value first, int64_t size) {
    Value low = max(sub(index(0), first), 0);
    return std::make_pair(low, min(sub(index(size), first), plan.side));
  };
  auto [rowLow, rowHigh] = range(row, p.inputRows);
  auto [columnLow, columnHigh] = range(column, p.inputColumns);
  loop(rowLow, rowHigh, [&, columnLow = columnLow, columnHigh = columnHigh](Value i) {
    loop(columnLow, columnHigh, [&](Value j) { store(source(i, j), patch, place(i, j)); });
  });
}

/// Transforms columns into `half`, then the rows of `half` into all frequencies.
void WinogradEmitter::transformTile(Value memory, Value from, int64_t rowStride, Value to) {
  transforms.input(
      index(plan.side),
      [&](Value column, int64_t i) {
        return load(memory, add(add(from, i * rowStride), mul(column, block)));
      },
      [&](Value column, int64_t i, Value value) { store(value, half, halfPlace(i, column)); });
  transforms.input(
      index(plan.side),
      [&](Value row, int64_t j) { return load(half, add(mul(row, plan.side * block), j * block)); },
      [&](Value row, int64_t j, Value value) {
        Value frequency = add(to, mul(row, plan.side * plan.inputStride));
        store(value, transformed, add(frequency, j * plan.inputStride));
      });
}

void WinogradEmitter::emitOutput(const Task &task) {
  int64_t chunkBlocks = config.getPanels() * config.getVectors();
  Value first = mul(task.chunk, chunkBlocks);
  Value last = min(add(first, chunkBlocks), plan.outputBlocks);
  loop(first, last, [&](Value channelBlock) {
    Value plane = mul(sub(channelBlock, first), plan.productPlane);
    loop(task.tileLow, task.tileHigh, [&](Value tile) {
      emitOutputTile(channelBlock, tile, add(plane, mul(sub(tile, task.tileLow), block)));
    });
  });
}

/// Transforms columns of the products into `half`, then the rows of `half` into results.
void WinogradEmitter::emitOutputTile(Value channelBlock, Value tile, Value from) {
  Place place = placeOf(tile);
  fetchResults(channelBlock, place);
  transforms.output(
      index(plan.side),
      [&](Value column, int64_t i) {
        Value frequency = add(from, mul(column, plan.productStride));
        return load(products, add(frequency, i * plan.side * plan.productStride));
      },
      [&](Value column, int64_t i, Value value) { store(value, half, halfPlace(i, column)); });
  Value rows = p.outputRows % plan.tile == 0 ? index(plan.tile)
                                             : min(sub(index(p.outputRows), place.row), plan.tile);
  transforms.output(
      rows,
      [&](Value row, int64_t j) { return load(half, add(mul(row, plan.side * block), j * block)); },
      [&](Value row, int64_t j, Value sum) { emitResult(channelBlock, place, row, j, sum); });
}

/// Prefetches the results of a later tile and the operands that are added element by element, which
/// have the same offsets.
void WinogradEmitter::fetchResults(Value channelBlock, const Place &place) {
  constexpr int64_t kTilesAhead = 2;
  constexpr int kFirstCache = 3;
  SmallVector<unsigned> added = addedOperands(kernel, function.body());
  for (int64_t i = 0; i < plan.tile; ++i) {
    for (int64_t j = 0; j < plan.tile; ++j) {
      Value offset = resultOffset(channelBlock, place, index(i), kTilesAhead * plan.tile + j);
      fetch(y, offset, /*isWrite=*/true, kFirstCache);
      for (unsigned operand : added) {
        fetch(function.operand(operand), offset, /*isWrite=*/false, kFirstCache);
      }
    }
  }
}

Value WinogradEmitter::resultOffset(Value channelBlock, const Place &place, Value row,
                                    int64_t column) {
  Value image = add(mul(place.batch, plan.outputBlocks), channelBlock);
  Value pixel = add(mul(add(place.row, row), p.outputColumns), add(place.column, column));
  return mul(add(mul(image, p.outputRows * p.outputColumns), pixel), block);
}

/// Stores one column of results. The last tile of a row may extend past the row.
void WinogradEmitter::emitResult(Value channelBlock, const Place &place, Value row, int64_t column,
                                 Value sum) {
  int64_t always = p.outputColumns % plan.tile;
  if (always == 0 || column < always) {
    storeResult(channelBlock, place, row, column, sum);
    return;
  }
  Value isWhole = b.createOrFold<arith::XOrIOp>(place.isLastColumn,
                                                b.create<arith::ConstantOp>(b.getBoolAttr(true)));
  branch(isWhole, [&] { storeResult(channelBlock, place, row, column, sum); });
}

/// Applies the epilogue ops to a vector of sums and stores the result.
void WinogradEmitter::storeResult(Value channelBlock, const Place &place, Value row, int64_t column,
                                  Value sum) {
  Lanes scalar(b, 1);
  Index channels = elements.blockOfChannels(channelBlock, block);
  Value resultRow = add(place.row, row);
  Value resultColumn = add(place.column, column);
  SmallVector<Index> at = {scalar.uniform(place.batch), channels, scalar.uniform(resultRow),
                           scalar.uniform(resultColumn)};
  Value element = finishElement(elements, kernel, at, sum, block);
  store(element, y, resultOffset(channelBlock, place, row, column));
}

LogicalResult lowerWinograd(task::KernelOp kernel, const ConvKernel &matched, WinogradAttr config,
                            int64_t vectorBytes) {
  WinogradPlan plan(matched.problem, config);
  KernelFunction function(kernel, plan.scratchElements() * 4);
  function.allowInPlace(addedOperands(matched, function.body()));
  WinogradEmitter(function, matched, config, vectorBytes).emit();
  return success();
}

} // namespace convoy::kernels
