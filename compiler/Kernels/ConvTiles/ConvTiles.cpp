// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Kernel.td documents. The code loads tiles of weights directly and copies
// the input of a band first (CopyBand.cpp).

#include "Kernels/ConvTiles/ConvTiles.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/Epilogue.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/KernelFunction.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr int64_t kLaneBytes = 4;

/// The layout of scratch memory. It holds the sums of two groups of tiles, because one group is
/// finished while the next one is multiplied.
struct ScratchPlan {
  ScratchPlan(const TileBand &band, int64_t vectors, bool hasInputSums)
      : groupBytes(vectors * band.groupPixels * kTileRowBytes), startsAt(kTileConfigBytes),
        sumsAt(startsAt + vectors * kTileRowBytes), inputSumsAt(sumsAt + 2 * groupBytes),
        inputAt(inputSumsAt + (hasInputSums ? band.groups() * band.groupPixels * kLaneBytes : 0)),
        bytes(inputAt + band.inputBytes()) {}

  int64_t groupBytes; // sums of a group, by vector
  int64_t startsAt;   // initial sums, one tile row per vector
  int64_t sumsAt;
  int64_t inputSumsAt; // sums of the inputs of each pixel, if the weights have zero points
  int64_t inputAt, bytes;
};

/// The panels that share tiles of pixels, and their position in the result.
struct Part {
  Value batch, firstRow, rows, panel;
};

/// The pixels [first, last) of a band that were multiplied, and the offset of their sums.
struct Group {
  Value sums, first, last;
};

/// The offsets of the sums of a pixel and of the sum of its inputs.
struct PixelSums {
  Value own, inputs;
};

class ConvTilesEmitter : LoopNest {
public:
  ConvTilesEmitter(KernelFunction &function, const ConvKernel &kernel, ConvTilesAttr config,
                   bool isJoined, int64_t vectorBytes)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.problem), config(config),
        band(p, config.getRows(), config.getTiles()), isJoined(isJoined),
        plan(band, config.getVectors(), kernel.correctsWeights()),
        elements(function.b, vectorBytes),
        registers(function, config.getTiles(), config.getVectors()), block(config.getBlock()),
        vectors(config.getVectors()), tiles(config.getTiles()),
        blocks(kernels::ceilDiv(p.outputChannels, block)),
        bands(kernels::ceilDiv(p.outputRows, band.rows)),
        chunks(kernels::ceilDiv(blocks, config.getPanels())) {
    elements.pairsProducts = true;
    function.bindOperands(elements);
  }

  int64_t emit() {
    registers.configure();
    loop(function.begin(), function.end(), [&](Value task) { emitTask(task); });
    registers.release();
    return p.batch * bands * chunks;
  }

private:
  using Vectors = SmallVector<Value>;

  void emitTask(Value task) {
    Lanes l(b, 1);
    SmallVector<Index> at = l.delinearize(l.uniform(task), {p.batch, bands, chunks});
    Part part;
    part.batch = at[0].base;
    part.firstRow = mul(at[1].base, band.rows);
    part.rows = p.outputRows % band.rows == 0
                    ? index(band.rows)
                    : min(subProduct(p.outputRows, part.firstRow, 1), band.rows);
    copyInput(task, at[2].base, part);
    Value low = mul(at[2].base, config.getPanels() / vectors);
    Value high = min(add(low, config.getPanels() / vectors), blocks / vectors);
    loop(low, high, [&](Value i) {
      part.panel = mul(i, vectors);
      emitPart(part);
    });
  }

  /// Copies the input of a band. Chunks of the same band are consecutive tasks and share the copy.
  void copyInput(Value task, Value chunk, const Part &part) {
    auto copy = [&] {
      copyBand(function, kernel, band, plan.inputAt, block, part.batch, part.firstRow);
      if (kernel.correctsWeights()) {
        sumInputs(part);
      }
    };
    if (chunks == 1) {
      return copy();
    }
    Value isFirstChunk = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, chunk, index(0));
    Value isFirstTask = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, task, function.begin());
    branch(b.create<arith::OrIOp>(isFirstChunk, isFirstTask), copy);
  }

  /// Multiplies each group before it finishes the previous one. The two are independent, so the
  /// core overlaps them.
  void emitPart(const Part &part) {
    for (int64_t v = 0; v < vectors; ++v) {
      start(add(part.panel, v), v, kernel.bias());
    }
    Value pixels = pixelsOf(part);
    Value groups = groupsOf(pixels);
    loop(index(0), add(groups, 1), [&](Value step) {
      when(arith::CmpIPredicate::ult, step, groups, [&] { multiply(part.panel, step, vectors); });
      when(arith::CmpIPredicate::ugt, step, index(0), [&] {
        Value first = mul(add(step, -1), band.groupPixels);
        Value count = min(sub(pixels, first), band.groupPixels);
        Group group{sumsOf(add(step, -1)), first, add(first, count)};
        for (int64_t v = 0; v < vectors; ++v) {
          isJoined ? finishJoined(part, v, group) : finishRows(part, v, group);
        }
      });
    });
  }

  /// Computes the sums of the inputs of all pixels of a band with the panel of ones.
  void sumInputs(const Part &part) {
    start(index(blocks), 0, /*bias=*/Value());
    loop(index(0), groupsOf(pixelsOf(part)), [&](Value group) {
      multiply(index(blocks), group, /*count=*/1);
      loop(band.groupPixels, [&](Value pixel) {
        Value sum = loadScalar(b, function.scratch(), add(sumsOf(group), mul(pixel, kTileRowBytes)),
                               b.getI32Type());
        storeScalar(b, sum, function.scratch(),
                    inputSumOf(add(mul(group, band.groupPixels), pixel)));
      });
    });
  }

  /// Stores the initial sums of all pixels of a panel: its corrections and the bias.
  void start(Value panel, int64_t vector, Value bias) {
    Value sum = loadInts(b, function.operand(kernel.weight), mul(panel, panelBytes()), block);
    if (bias) {
      Index channels = elements.blockOfChannels(panel, block);
      sum = b.create<arith::AddIOp>(sum, channelElements(elements, bias, channels, block));
    }
    storeInts(b, sum, function.scratch(), index(plan.startsAt + vector * kTileRowBytes));
  }

  /// Computes and stores the sums of a group of tiles for `count` panels.
  void multiply(Value panel, Value group, int64_t count) {
    Value scratch = registers.addressOf(function.scratch());
    Value input = add(scratch, add(mul(group, tiles * kTileBytes), plan.inputAt));
    Value weights = add(registers.addressOf(function.operand(kernel.weight)),
                        add(mul(panel, panelBytes()), block * kLaneBytes));
    Value sums = add(scratch, sumsOf(group));
    registers.loadSums(add(scratch, plan.startsAt), count);
    loop(index(0), index(band.layers()), [&](Value layer) {
      Value pixels = add(input, mul(layer, band.layerBytes()));
      Value own = add(weights, mul(layer, p.taps() * kTileBytes));
      for (int64_t tap = 0; tap < p.taps(); ++tap) {
        int64_t pixel = band.tapPixel(tap / p.kernelColumns, tap % p.kernelColumns);
        registers.multiply(add(pixels, pixel * kTileRowBytes), add(own, tap * kTileBytes),
                           panelBytes(), count);
      }
    });
    registers.storeSums(sums, count);
  }

  /// Finishes the pixels of a group row by row and skips the pixels between rows.
  void finishRows(const Part &part, int64_t vector, const Group &group) {
    Lanes scalar(b, 1);
    bool hasRows = cast<RankedTensorType>(kernel.op->getResult(0).getType()).getRank() == 4;
    Value pitch = index(band.pitch);
    Value low = b.createOrFold<arith::DivUIOp>(group.first, pitch);
    Value high = b.createOrFold<arith::CeilDivUIOp>(group.last, pitch);
    loop(low, high, [&](Value i) {
      Value before = mul(i, band.pitch);
      Value row = add(part.firstRow, i);
      Value first = max(sub(group.first, before), 0);
      Value last = min(sub(group.last, before), p.outputColumns);
      loop(first, last, [&](Value column) {
        SmallVector<Index> pixel = {scalar.uniform(column)};
        if (hasRows) {
          pixel.insert(pixel.begin(), scalar.uniform(row));
        }
        finish(part, vector, pixel, sumsOf(group, vector, add(before, column)),
               add(mul(row, p.outputColumns), column));
      });
    });
  }

  /// Finishes the pixels of a group with all rows joined to one.
  void finishJoined(const Part &part, int64_t vector, const Group &group) {
    Lanes scalar(b, 1);
    bool hasRows = cast<RankedTensorType>(kernel.op->getResult(0).getType()).getRank() == 4;
    Value before = mul(part.firstRow, p.outputColumns);
    loop(group.first, group.last, [&](Value i) {
      Value place = add(before, i);
      SmallVector<Index> pixel = {scalar.uniform(place)};
      if (hasRows) { // The index along a dimension of size 1 is ignored.
        pixel.insert(p.outputColumns == 1 ? pixel.end() : pixel.begin(), scalar.constant(0));
      }
      finish(part, vector, pixel, sumsOf(group, vector, i), place);
    });
  }

  /// Applies requantization and the epilogue ops to the sums of a pixel and stores the result.
  void finish(const Part &part, int64_t vector, ArrayRef<Index> pixel, const PixelSums &sums,
              Value resultPixel) {
    Lanes scalar(b, 1);
    Value panel = add(part.panel, vector);
    SmallVector<Index> at = {scalar.uniform(part.batch), elements.blockOfChannels(panel, block)};
    Value sum = loadInts(b, function.scratch(), sums.own, block);
    if (kernel.correctsWeights()) {
      Value inputs = loadScalar(b, function.scratch(), sums.inputs, b.getI32Type());
      sum = correctedSums(b, sum, weightZeros(elements, kernel, at[1], block), inputs);
    }
    at.append(pixel.begin(), pixel.end());
    Value element = finishSum(elements, kernel, at, sum, block);
    Value plane = mul(add(mul(part.batch, blocks), panel), p.outputRows * p.outputColumns);
    Value result = function.body().getTerminator()->getOperand(0);
    Lanes along(b, block);
    kernels::store(along, {function.result(0), elements.type(result)},
                   {mul(add(plane, resultPixel), block), 1, {}}, element);
  }

  void when(arith::CmpIPredicate predicate, Value lhs, Value rhs, llvm::function_ref<void()> body) {
    branch(b.create<arith::CmpIOp>(predicate, lhs, rhs), body);
  }
  int64_t panelBytes() const { return block * kLaneBytes + band.layers() * p.taps() * kTileBytes; }
  /// Returns the offset of the sums of a group.
  Value sumsOf(Value group) {
    Value half = b.createOrFold<arith::AndIOp>(group, index(1));
    return add(mul(half, plan.groupBytes), plan.sumsAt);
  }
  PixelSums sumsOf(const Group &group, int64_t vector, Value pixel) {
    Value place = add(sub(pixel, group.first), vector * band.groupPixels);
    return {add(mul(place, kTileRowBytes), group.sums), inputSumOf(pixel)};
  }
  Value inputSumOf(Value pixel) { return add(mul(pixel, kLaneBytes), plan.inputSumsAt); }
  /// Returns the pixels of a band from its first to its last, and their groups.
  Value pixelsOf(const Part &part) {
    return add(mul(add(part.rows, -1), band.pitch), p.outputColumns);
  }
  Value groupsOf(Value pixels) {
    return b.createOrFold<arith::CeilDivUIOp>(pixels, index(band.groupPixels));
  }

  KernelFunction &function;
  const ConvKernel &kernel;
  const ConvProblem &p;
  ConvTilesAttr config;
  TileBand band;
  /// All pixels of a band form one row: they are contiguous, and no epilogue operand distinguishes
  /// rows.
  bool isJoined;
  ScratchPlan plan;
  KernelEmitter elements; // loads epilogue operands
  TileRegisters registers;
  int64_t block, vectors, tiles, blocks, bands, chunks;
};

} // namespace

LogicalResult lowerConvTiles(task::KernelOp kernel, const ConvKernel &matched, ConvTilesAttr config,
                             int64_t vectorBytes) {
  Block &body = kernel.getBody().front();
  TileBand band(matched.problem, config.getRows(), config.getTiles());
  bool isJoined = band.isDense() && isEpilogueFlat(matched, body);
  KernelFunction function(kernel,
                          ScratchPlan(band, config.getVectors(), matched.correctsWeights()).bytes);
  function.allowInPlace(addedOperands(matched, body));
  int64_t range = ConvTilesEmitter(function, matched, config, isJoined, vectorBytes).emit();
  int64_t blocks = kernels::ceilDiv(matched.problem.outputChannels, config.getBlock());
  function.finish(range, kernels::ceilDiv(blocks, config.getPanels()));
  return success();
}

} // namespace convoy::kernels
