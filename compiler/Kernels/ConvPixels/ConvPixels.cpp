// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Kernel.td documents. BandPlan.h explains how the pixels of a band become
// lanes; PackBand.cpp copies the input of a band. accumulate() is the innermost part.

#include "Kernels/ConvPixels/ConvPixels.h"
#include "Kernels/Core/Epilogue.h"
#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/PackBand.h"
#include "Kernels/Core/RegisterTile.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Maximum number of unrolled taps, because the offset of each tap needs a scalar register.
constexpr int64_t kUnrolledTaps = 16;

class ConvPixelsEmitter : private LoopNest {
public:
  ConvPixelsEmitter(KernelFunction &function, const ConvKernel &kernel, ConvPixelsAttr config,
                    const BandPlan &plan, int64_t vectorBytes)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.problem), config(config),
        plan(plan), elements(function.b, vectorBytes),
        vector(VectorType::get({config.getLanes()}, function.b.getF32Type())),
        x(function.operand(kernel.input)), w(function.operand(kernel.weight)),
        y(function.result(0)), pixels(p.outputRows * p.outputColumns),
        fullGroups(p.outputChannels / config.getChannels()),
        restChannels(p.outputChannels % config.getChannels()) {
    function.bindOperands(elements);
  }

  /// Emits the body and returns the range.
  int64_t emit() { return config.getRows() == 0 ? emitFlat() : emitBands(); }

private:
  using Values = SmallVector<Value>;
  /// The position of a tile: image, group of output channels and number of channels.
  struct Tile {
    Value batch, group;
    int64_t channels;
  };
  /// The memory from which pixels are read, and the distances between input channels and between
  /// taps. If there are too many taps to unroll, the code loops over rows of taps.
  struct Source {
    Value memory;
    int64_t channel;
    SmallVector<int64_t> taps;
    bool loopsOverRows = false;
  };

  /// Emits the loops for `rows` = 0. A task is a vector of pixels for a group of output channels;
  /// the last group may have fewer channels. Overlapping vectors are in one task, because two
  /// workers would otherwise write the same memory.
  int64_t emitFlat() {
    if (pixels % config.getLanes() == 0) { // otherwise the last vector sums some pixels twice
      function.allowInPlace(addedOperands(kernel, function.body()));
    }
    int64_t groups = fullGroups + (restChannels > 0);
    int64_t vectors = pixels / config.getLanes();
    auto emitGroups = [&](Value low, Value high, int64_t channels) {
      loopParts(low, high, vectors, [&](Value outer, Value from, Value to) {
        Lanes l(b, 1);
        SmallVector<Index> at = l.delinearize(l.uniform(outer), {groups, p.batch});
        emitFlatTile({at[1].base, at[0].base, channels}, from, to);
      });
    };
    Value full = index(fullGroups * p.batch * vectors);
    if (fullGroups > 0) {
      emitGroups(function.begin(), b.createOrFold<arith::MinSIOp>(function.end(), full),
                 config.getChannels());
    }
    if (restChannels > 0) {
      emitGroups(b.createOrFold<arith::MaxSIOp>(function.begin(), full), function.end(),
                 restChannels);
    }
    return groups * p.batch * vectors;
  }

  void emitFlatTile(const Tile &tile, Value low, Value high) {
    int64_t lanes = config.getLanes();
    if (pixels % lanes != 0) {
      Value last = index(pixels / lanes);
      Value isLast = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, high, last);
      high = b.create<arith::SelectOp>(isLast, add(last, 1), high);
    }
    loop(low, high, [&](Value i) {
      Value first = mul(i, lanes);
      if (pixels % lanes != 0) {
        // The last vector overlaps the previous one, which avoids a masked tail.
        first = min(first, pixels - lanes);
      }
      Source source{x, pixels, {0}};
      Value image = mul(tile.batch, p.inputChannels * pixels);
      Values results = accumulate(tile, source, add(image, first));
      for (int64_t c = 0; c < tile.channels; ++c) {
        finish(tile, c, index(0), first, results[c]);
      }
    });
  }

  /// Emits the loops over bands. A task is a group of output channels of a band. Consecutive tasks
  /// share the copy of the band's input.
  int64_t emitBands() {
    int64_t groups = fullGroups + (restChannels > 0);
    loopParts(function.begin(), function.end(), groups, [&](Value outer, Value from, Value to) {
      Lanes l(b, 1);
      SmallVector<Index> at = l.delinearize(l.uniform(outer), {p.batch, plan.bands});
      emitBand(at[0].base, at[1].base, from, to);
    });
    return p.batch * plan.bands * groups;
  }

  void emitBand(Value batch, Value band, Value low, Value high) {
    PackedBand packed = packBand(function, p, plan, x, batch, band);
    sums = packed.sums;
    Source source{packed.input, plan.channel, {}};
    source.loopsOverRows = p.taps() > kUnrolledTaps;
    for (int64_t row = 0; row < (source.loopsOverRows ? 1 : p.kernelRows); ++row) {
      for (int64_t column = 0; column < p.kernelColumns; ++column) {
        source.taps.push_back(plan.tapOffset(p, row, column));
      }
    }
    if (fullGroups > 0) {
      loop(low, min(high, fullGroups),
           [&](Value group) { emitBandTile({batch, group, config.getChannels()}, source, band); });
    }
    if (restChannels > 0) {
      loop(b.createOrFold<arith::MaxSIOp>(low, index(fullGroups)), high,
           [&](Value group) { emitBandTile({batch, group, restChannels}, source, band); });
    }
  }

  void emitBandTile(const Tile &tile, const Source &source, Value band) {
    loop(index(0), index(plan.tiles), [&](Value i) {
      Value first = mul(i, plan.lanes);
      Values results = accumulate(tile, source, first);
      for (int64_t c = 0; c < tile.channels; ++c) {
        b.create<vector::StoreOp>(results[c], sums, add(first, c * plan.tiles * plan.lanes));
      }
    });
    storeBand(tile, band);
  }

  /// Applies the epilogue to the sums of a band row by row and skips lanes without a result.
  void storeBand(const Tile &tile, Value band) {
    Value firstRow = mul(band, plan.rows);
    Value rows = min(sub(index(p.outputRows), firstRow), plan.rows);
    loop(index(0), rows, [&](Value row) {
      for (int64_t c = 0; c < tile.channels; ++c) {
        forVectors(p.outputColumns, plan.lanes, [&](int64_t column, int64_t width) {
          Value from = add(mul(row, plan.pitch), c * plan.tiles * plan.lanes + column);
          finish(tile, c, add(firstRow, row), index(column), loadLanes(b, sums, from, width));
        });
      }
    });
  }

  /// Returns the sums of all products for the lanes starting at `first`, one vector per output
  /// channel.
  Values accumulate(const Tile &tile, const Source &source, Value first) {
    Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
    Values results(tile.channels, zero);
    return unrolled(p.inputChannels, config.getUnroll(), std::move(results),
                    [&](Value channel, int64_t channels, Values carried) {
                      return step(tile, source, first, channel, channels, std::move(carried));
                    });
  }

  /// The micro-kernel: multiplies each vector of pixels by one weight per output channel, for all
  /// taps of `channels` input channels.
  Values step(const Tile &tile, const Source &source, Value first, Value channel, int64_t channels,
              Values results) {
    Value weight =
        mul(add(mul(tile.group, p.inputChannels), channel), p.taps() * config.getChannels());
    Value input = add(first, mul(channel, source.channel));
    for (int64_t i = 0; i < channels; ++i) {
      Value from = add(input, i * source.channel);
      Value factors = add(weight, i * p.taps() * config.getChannels());
      if (!source.loopsOverRows) {
        results = multiply(tile, source, from, factors, results);
        continue;
      }
      results = loop(p.kernelRows, std::move(results), [&](Value row, Values carried) {
        int64_t rowFactors = p.kernelColumns * config.getChannels();
        return multiply(tile, source, add(from, rowOffset(row)), add(factors, mul(row, rowFactors)),
                        std::move(carried));
      });
    }
    return results;
  }

  Values multiply(const Tile &tile, const Source &source, Value from, Value factors,
                  Values results) {
    FloatMultiply product(b, {w, kernel.weightType}, {source.memory, ElementType::F32},
                          config.getLanes());
    auto pixelsAt = [&](int64_t tap, int64_t) { return add(from, source.taps[tap]); };
    auto factorAt = [&](int64_t tap, int64_t c) {
      return add(factors, tap * config.getChannels() + c);
    };
    return RegisterTile(product, /*vectors=*/1, tile.channels)
        .accumulate(static_cast<int64_t>(source.taps.size()), pixelsAt, factorAt,
                    std::move(results));
  }

  /// Returns the distance of a row of taps from the first row: BandPlan::tapOffset at run time.
  Value rowOffset(Value row) {
    Value down = mul(row, p.dilationRows);
    if (p.strideRows == 1) {
      return mul(down, plan.pitch);
    }
    Value stride = index(p.strideRows);
    Value phase = b.createOrFold<arith::RemUIOp>(down, stride);
    Value place = b.createOrFold<arith::DivUIOp>(down, stride);
    return add(mul(phase, p.strideColumns * plan.plane), mul(place, plan.pitch));
  }

  /// Applies the epilogue to the pixels starting at (row, column) and stores them.
  void finish(const Tile &tile, int64_t channel, Value row, Value column, Value sum) {
    Lanes scalar(b, 1);
    Value output = add(mul(tile.group, config.getChannels()), channel);
    SmallVector<Index> at = resultAt(kernel, scalar.uniform(tile.batch), scalar.uniform(output),
                                     scalar.uniform(row), Index{column, 1, {}});
    auto type = dyn_cast<VectorType>(sum.getType());
    int64_t width = type ? type.getNumElements() : 1;
    Value element = finishElement(elements, kernel, at, sum, width);
    Value plane = mul(add(mul(tile.batch, p.outputChannels), output), pixels);
    storeLanes(b, element, y, add(plane, add(mul(row, p.outputColumns), column)));
  }

  /// Calls `body` for each outer unit of `inner` steps with the part [from, to) that is inside the
  /// range [low, high). The range may start or end inside an outer unit.
  void loopParts(Value low, Value high, int64_t inner,
                 llvm::function_ref<void(Value outer, Value from, Value to)> body) {
    Value first = b.createOrFold<arith::DivUIOp>(low, index(inner));
    Value end = b.createOrFold<arith::CeilDivUIOp>(high, index(inner));
    loop(first, end, [&](Value outer) {
      Value start = mul(outer, inner);
      Value from = sub(low, start);
      Value to = sub(high, start);
      body(outer, b.createOrFold<arith::MaxSIOp>(from, index(0)), min(to, inner));
    });
  }

  KernelFunction &function;
  const ConvKernel &kernel;
  const ConvProblem &p;
  ConvPixelsAttr config;
  const BandPlan &plan;
  KernelEmitter elements; // loads epilogue operands
  VectorType vector;
  Value x, w, y;
  Value sums; // scratch memory for the sums of a band
  int64_t pixels, fullGroups, restChannels;
};

} // namespace

LogicalResult lowerConvPixels(task::KernelOp kernel, const ConvKernel &matched,
                              ConvPixelsAttr config, int64_t vectorBytes) {
  bool isFlat = config.getRows() == 0;
  BandPlan plan(matched.problem, std::max<int64_t>(config.getRows(), 1), config.getLanes(),
                config.getChannels());
  KernelFunction function(kernel, isFlat ? 0 : plan.scratchElements() * 4);
  function.finish(ConvPixelsEmitter(function, matched, config, plan, vectorBytes).emit());
  return success();
}

} // namespace convoy::kernels
