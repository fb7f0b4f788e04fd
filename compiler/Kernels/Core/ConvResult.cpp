// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the start and the end of the sums of a tile: the values that the multiply adds, partial
// sums of several passes, and the epilogue.

#include "Kernels/Core/ConvEmitter.h"
#include "Kernels/Core/Edges.h"
#include "Kernels/Core/Epilogue.h"
#include "Kernels/Core/InterleaveChains.h"
#include "Kernels/Core/LaneMemory.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

/// The maximum number of epilogue ops that are unrolled for each accumulator.
static constexpr int64_t kUnrolledEpilogueOps = 4;

PanelBlock ConvEmitter::panelBlock(const Tile &tile, int64_t v) {
  Value head = add(mul(panelOf(tile), places.panelElements()), v * multiply.block * multiply.head);
  if (tile.isOfOnes) {
    return {{}, head, /*hasBias=*/false};
  }
  return {elements.blockOfChannels(blockOf(tile, v), multiply.block), head};
}

int64_t sumBits(const ConvKernel &kernel) {
  Type type = cast<TensorType>(kernel.op->getResult(0).getType()).getElementType();
  return kernel.integers->isInputWide ? type.getIntOrFloatBitWidth() : 32;
}

int64_t inputSumBytes(const ConvKernel &kernel, const ConvTiling &tiling) {
  int64_t columns = tiling.columns != 0 ? tiling.columns : kernel.problem.outputColumns;
  return kernel.correctsWeights() ? tiling.rows * columns * sumBits(kernel) / 8 : 0;
}

/// Returns the offset of the sum of the inputs of a pixel in scratch memory, in bytes.
Value ConvEmitter::inputSumOffset(const Tile &tile, int64_t pixel) {
  Value first = add(mul(sub(tile.row, tile.firstRow), columns), tile.column);
  return mul(add(first, pixel), sumBits(kernel) / 8);
}

/// Stores the sums of a tile of ones; all lanes of a pixel are equal.
void ConvEmitter::storeInputSums(const Tile &tile, ArrayRef<Value> sums) {
  RegisterTile registers = registersOf(tile);
  Values corrections = multiply.corrections(panelBlock(tile, 0));
  int64_t pixel = 0;
  for (int64_t cell = 0; cell < registers.cells(); ++cell) {
    for (Value sum : multiply.finish(registers.cell(sums, 0, cell), corrections)) {
      if (pixel < tile.run->pixels) {
        storeScalar(b, b.create<vector::ExtractOp>(sum, 0), function.scratch(),
                    inputSumOffset(tile, pixel));
      }
      ++pixel;
    }
  }
}

/// Returns the initial sums of all pixels of a tile. The rows of taps outside the input add the
/// same to all pixels.
ConvEmitter::Values ConvEmitter::start(const Tile &tile) {
  RegisterTile first(multiply, tile.vectors, multiply.pixels);
  Values sums(multiply.registers * tile.vectors);
  for (int64_t v = 0; v < tile.vectors; ++v) {
    for (auto [i, sum] : llvm::enumerate(multiply.start(panelBlock(tile, v)))) {
      sums[first.place(static_cast<int64_t>(i), v, 0)] = sum;
    }
  }
  if (!multiply.ignoresPadding && hasRowPadding(p)) {
    sums = addPaddingRows(tile, std::move(sums));
  }
  Values all;
  for (Value sum : sums) {
    all.append(registersOf(tile).cells(), sum);
  }
  return all;
}

/// Adds the products of the rows of taps outside the input to one cell per block of channels.
ConvEmitter::Values ConvEmitter::addPaddingRows(const Tile &tile, Values sums) {
  auto [low, high] = tapRows(*this, p, tile.row, /*isClamped=*/true);
  auto rowOfTaps = [&](Value tapRow, Values carried) {
    return loop(channelBlocks, std::move(carried), [&](Value channels, Values inner) {
      int64_t steps = p.kernelColumns * t.channelBlock / multiply.depth;
      Value weight = add(weightsOf(panelOf(tile), channels), mul(tapRow, steps * stepElements()));
      return loop(steps, std::move(inner), [&](Value step, Values now) {
        RegisterTile cells(multiply, tile.vectors, multiply.pixels);
        auto weights = [&](int64_t, int64_t v) {
          return add(add(weight, mul(step, stepElements())), v * multiply.block * multiply.depth);
        };
        auto outside = [](int64_t, int64_t) { return Value(); };
        return cells.accumulate(1, weights, outside, std::move(now));
      });
    });
  };
  sums = loop(index(0), low, std::move(sums), rowOfTaps);
  return loop(high, index(p.kernelRows), std::move(sums), rowOfTaps);
}

Value ConvEmitter::resultOffset(const Tile &tile, Value block, int64_t pixel) {
  Value offset = add(mul(tile.batch, out.batch), mul(block, out.block));
  offset = add(offset, add(mul(tile.row, out.row), mul(tile.column, out.pixel)));
  return add(offset, pixel * out.pixel);
}

ConvEmitter::Values ConvEmitter::loadSums(const Tile &tile) {
  Lanes lanes(b, multiply.block);
  Values loaded;
  for (int64_t v = 0; v < tile.vectors; ++v) {
    for (int64_t pixel = 0; pixel < tile.run->pixels; ++pixel) {
      Value offset = resultOffset(tile, blockOf(tile, v), pixel);
      loaded.push_back(load(lanes, result, Index{offset, 1, {}}));
    }
  }
  return loaded;
}

/// A cheap epilogue of few ops is unrolled for each accumulator. Otherwise the sums are stored
/// first, and a loop applies the epilogue to them: unrolled, many ops would be too much code, and
/// expensive ops have no free registers to be interleaved.
void ConvEmitter::finish(const Tile &tile, Value pass, ArrayRef<Value> sums) {
  bool isInLoop = isEpilogueInLoop();
  if (isInLoop) {
    storeSums(tile, sums);
  }
  auto finishTile = [&] { isInLoop ? finishStored(tile) : finishCells(tile, sums); };
  if (passes() == 1) {
    return finishTile();
  }
  auto storePartial = [&] { storeSums(tile, sums); };
  branch(isEqual(pass, passes() - 1), finishTile,
         isInLoop ? llvm::function_ref<void()>() : storePartial);
}

void ConvEmitter::storeSums(const Tile &tile, ArrayRef<Value> sums) {
  for (int64_t v = 0; v < tile.vectors; ++v) {
    for (int64_t pixel = 0; pixel < tile.run->pixels; ++pixel) {
      Value sum = sums[v * tile.run->pixels + pixel];
      storeElement(resultOffset(tile, blockOf(tile, v), pixel), sum);
    }
  }
}

void ConvEmitter::storeElement(Value offset, Value element) {
  Lanes lanes(b, multiply.block);
  store(lanes, result, Index{offset, 1, {}}, element);
}

/// Applies the epilogue to the accumulators.
void ConvEmitter::finishCells(const Tile &tile, ArrayRef<Value> sums) {
  for (int64_t v = 0; v < tile.vectors; ++v) {
    finishCells(tile, v, sums);
  }
}

/// Applies the epilogue to the accumulators of one block of channels.
void ConvEmitter::finishCells(const Tile &tile, int64_t v, ArrayRef<Value> sums) {
  RegisterTile registers = registersOf(tile);
  Values corrections = multiply.corrections(panelBlock(tile, v));
  bool isCorrected = kernel.correctsWeights();
  Value zeros = isCorrected
                    ? weightZeros(elements, kernel, panelBlock(tile, v).channels, multiply.block)
                    : Value();
  int64_t pixel = 0;
  for (int64_t cell = 0; cell < registers.cells(); ++cell) {
    for (Value sum : multiply.finish(registers.cell(sums, v, cell), corrections)) {
      if (pixel < tile.run->pixels) { // The last cell may have more pixels than the tile.
        if (isCorrected) {
          Value inputs = loadScalar(b, function.scratch(), inputSumOffset(tile, pixel), sumType());
          sum = correctedSums(b, sum, zeros, inputs);
        }
        Value block = blockOf(tile, v);
        Value element = finalElement(tile, block, add(tile.column, pixel), sum);
        storeElement(resultOffset(tile, block, pixel), element);
      }
      ++pixel;
    }
  }
}

/// Applies the epilogue to the stored sums. The groups of pixels whose ops are interleaved have
/// nearly equal sizes, so that most tiles have no remaining pixels, which are more code.
void ConvEmitter::finishStored(const Tile &tile) {
  Lanes lanes(b, multiply.block);
  int64_t pixels = tile.run->pixels;
  int64_t most = epilogueCycles(kernel) < kInterleavedCycles ? 1 : kInterleavedChains;
  int64_t chains = kernels::ceilDiv(pixels, kernels::ceilDiv(pixels, most));
  loop(tile.vectors, [&](Value v) {
    Value block = add(blockOf(tile, 0), v);
    Value start = resultOffset(tile, block, 0);
    auto finishPixels = [&](Value first, int64_t count) {
      interleaveChains(b, count, [&](int64_t i) {
        Value pixel = add(first, i);
        Value offset = add(start, mul(pixel, out.pixel));
        Value sum = load(lanes, result, Index{offset, 1, {}});
        storeElement(offset, finalElement(tile, block, add(tile.column, pixel), sum));
      });
    };
    loop(pixels / chains, [&](Value group) { finishPixels(mul(group, chains), chains); });
    finishPixels(index(pixels / chains * chains), pixels % chains);
  });
}

bool ConvEmitter::isEpilogueInLoop() const {
  int64_t ops = llvm::count_if(function.body().without_terminator(),
                               [](Operation &op) { return !isa<graph::ConstantOp>(op); });
  return t.canStoreSums &&
         (ops - 1 > kUnrolledEpilogueOps || epilogueCycles(kernel) >= kInterleavedCycles);
}

/// Applies the epilogue ops to one vector of sums.
Value ConvEmitter::finalElement(const Tile &tile, Value block, Value pixelColumn, Value sum) {
  Lanes scalar(b, 1);
  Index channels = elements.blockOfChannels(block, multiply.block);
  Index column = scalar.uniform(pixelColumn);
  bool isCut = t.columns != 0;
  if (isCut) {
    // All rows are joined to one, of which no epilogue operand distinguishes rows, or a matrix is
    // split into parts.
    column = scalar.uniform(add(mul(tile.row, columns), column.base));
  }
  SmallVector<Index> at = {column, channels};
  if (!p.isMatrix) {
    Index row = isCut ? scalar.constant(0) : scalar.uniform(tile.row);
    at = resultAt(kernel, scalar.uniform(tile.batch), channels, row, column);
    if (isCut && p.outputColumns == 1) {
      std::swap(at[2], at[3]); // The index along a dimension of size 1 is ignored.
    }
  }
  return multiply.addsBias ? finishSum(elements, kernel, at, sum, multiply.block)
                           : finishElement(elements, kernel, at, sum, multiply.block);
}

} // namespace convoy::kernels
