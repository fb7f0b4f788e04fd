// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Kernel.td documents. TilePlan.h explains how tiles become lanes;
// PackBand.cpp copies the input. step() is the innermost part.

#include "Kernels/WinogradPixels/WinogradPixels.h"
#include "Kernels/Core/Epilogue.h"
#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/PackBand.h"
#include "Kernels/Core/PartRounds.h"
#include "Kernels/Core/RegisterTile.h"
#include "Kernels/Winograd/Transform.h"
#include "Kernels/Winograd/Winograd.h"
#include "Kernels/WinogradPixels/TilePlan.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class WinogradPixelsEmitter : private LoopNest {
public:
  WinogradPixelsEmitter(KernelFunction &function, const ConvKernel &kernel,
                        WinogradPixelsAttr config, const TilePlan &plan, int64_t vectorBytes)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.problem), config(config),
        plan(plan), elements(function.b, vectorBytes),
        vector(VectorType::get({config.getLanes()}, function.b.getF32Type())),
        lanes(config.getLanes()), transforms(elements, config.getTile(), /*isByParts=*/true),
        x(function.operand(kernel.input)), w(function.operand(kernel.weight)),
        y(function.result(0)) {
    function.bindOperands(elements);
    transformed = function.scratchFloats(plan.inputAt, plan.productsAt - plan.inputAt);
    products = function.scratchFloats(plan.productsAt, plan.partsAt - plan.productsAt);
  }

  /// Emits the body and declares the range.
  void emit() {
    if (plan.parts > 1) {
      return emitRounds();
    }
    loop(function.begin(), function.end(), [&](Value task) { emitBand(task); });
    function.finish(bands());
  }

private:
  using Values = SmallVector<Value>;
  /// A band of an image.
  struct Place {
    Value batch, band;
  };
  /// A group of output channels with its first channel in the memory for products.
  struct Group {
    Value number, first;
    int64_t channels;
  };

  int64_t bands() const { return p.batch * plan.band.bands; }

  /// Uses the memory of a part.
  void enterPart(Value part) {
    scratch = add(mul(part, plan.partElements), plan.partsAt);
    auto view = [&](int64_t first, int64_t last) {
      return function.scratchFloats(add(scratch, first), last - first);
    };
    half = view(plan.halfAt, plan.resultsAt);
    results = view(plan.resultsAt, plan.orderedAt);
    ordered = view(plan.orderedAt, plan.partElements);
  }

  /// Emits the task of a band that it computes alone.
  void emitBand(Value task) {
    enterPart(index(0));
    Place place = placeOf(task);
    emitInput(place, index(0), index(p.inputChannels));
    forGroups([&](int64_t low, int64_t high, int64_t channels) {
      loop(index(low), index(high), [&](Value number) {
        Group group{number, index(0), channels};
        loop(plan.frequencies, [&](Value frequency) { emitProducts(group, frequency); });
        Value first = mul(number, config.getChannels());
        loop(channels, [&](Value channel) { emitResult(place, channel, add(first, channel)); });
      });
    });
  }

  /// Emits the rounds of the bands: input, products and results.
  void emitRounds() {
    PartRounds rounds(function, plan.parts);
    rounds.emit(bands(), /*phases=*/3, [&](int64_t phase, Value band) {
      enterPart(rounds.part());
      if (phase == 0) {
        auto [low, high] = rounds.items(p.inputChannels);
        emitInput(placeOf(band), low, high);
      } else if (phase == 1) {
        emitPartOfProducts(rounds);
      } else {
        rounds.loopItems(p.outputChannels,
                         [&](Value channel) { emitResult(placeOf(band), channel, channel); });
      }
    });
  }

  void emitPartOfProducts(PartRounds &rounds) {
    forGroups([&](int64_t low, int64_t high, int64_t channels) {
      rounds.loopItems((high - low) * plan.frequencies, [&](Value i) {
        Value number = add(divide(i, plan.frequencies), low);
        emitProducts({number, mul(number, config.getChannels()), channels},
                     remainder(i, plan.frequencies));
      });
    });
  }

  /// Calls `body` with the groups of all channels, and with the last group if it has fewer.
  void forGroups(llvm::function_ref<void(int64_t, int64_t, int64_t)> body) {
    int64_t full = p.outputChannels / config.getChannels();
    if (full > 0) {
      body(0, full, config.getChannels());
    }
    if (full < plan.groups) {
      body(full, plan.groups, p.outputChannels % config.getChannels());
    }
  }

  Place placeOf(Value number) {
    return {divide(number, plan.band.bands), remainder(number, plan.band.bands)};
  }

  void emitInput(const Place &place, Value low, Value high) {
    packPlanes(function, plan.window, plan.band, scratch, x, place.band,
               {mul(place.batch, p.inputChannels), low, high},
               [&](Value channel, PackedBand packed) { transformTile(packed.input, channel); });
  }

  /// Transforms columns into `half`, then the rows of `half` into all frequencies.
  void transformTile(Value packed, Value channel) {
    transforms.input(
        index(plan.side),
        [&](Value column, int64_t i) {
          // Computes BandPlan::tapOffset at run time.
          Value stride = index(plan.tile);
          Value phase = b.createOrFold<arith::RemUIOp>(column, stride);
          Value from =
              add(mul(phase, plan.band.plane), b.createOrFold<arith::DivUIOp>(column, stride));
          return load(packed, add(from, plan.band.tapOffset(plan.window, i, 0)));
        },
        [&](Value column, int64_t i, Value value) { store(value, half, halfPlace(i, column)); });
    transforms.input(
        index(plan.side), [&](Value row, int64_t j) { return loadHalf(row, j); },
        [&](Value row, int64_t j, Value value) {
          Value to = add(mul(row, plan.side * plan.inputStride), mul(channel, lanes));
          store(value, transformed, add(to, j * plan.inputStride));
        });
  }

  /// Emits the results of an output channel, whose products are at `place`, from `channel` of the
  /// memory for products.
  void emitResult(const Place &place, Value channel, Value output) {
    transformProducts(channel);
    putInOrder(place);
    finishBand(place, output);
  }

  void emitProducts(const Group &group, Value frequency) {
    Value weight = add(mul(group.number, plan.frequencies), frequency);
    weight = mul(weight, p.inputChannels * config.getChannels());
    Value input = mul(frequency, plan.inputStride);
    Values sums(group.channels, b.create<arith::ConstantOp>(b.getZeroAttr(vector)));
    sums = unrolled(p.inputChannels, config.getUnroll(), std::move(sums),
                    [&](Value first, int64_t count, Values carried) {
                      return step(group, weight, input, first, count, std::move(carried));
                    });
    Value to = add(mul(frequency, plan.productStride), mul(group.first, lanes));
    for (int64_t c = 0; c < group.channels; ++c) {
      store(sums[c], products, add(to, c * lanes));
    }
  }

  /// The micro-kernel: multiplies each vector of tiles by one weight per output channel.
  Values step(const Group &group, Value weight, Value input, Value first, int64_t count,
              Values sums) {
    weight = add(weight, mul(first, config.getChannels()));
    input = add(input, mul(first, lanes));
    FloatMultiply product(b, {w, kernel.weightType}, {transformed, ElementType::F32}, lanes);
    auto tilesAt = [&](int64_t i, int64_t) { return add(input, i * lanes); };
    auto factorAt = [&](int64_t i, int64_t c) { return add(weight, i * config.getChannels() + c); };
    return RegisterTile(product, /*vectors=*/1, group.channels)
        .accumulate(count, tilesAt, factorAt, std::move(sums));
  }

  /// Transforms columns of the products of a channel into `half`, then the rows of `half` into
  /// results.
  void transformProducts(Value channel) {
    transforms.output(
        index(plan.side),
        [&](Value column, int64_t i) {
          Value from = add(mul(column, plan.productStride), mul(channel, lanes));
          return load(products, add(from, i * plan.side * plan.productStride));
        },
        [&](Value column, int64_t i, Value value) { store(value, half, halfPlace(i, column)); });
    transforms.output(
        index(plan.tile), [&](Value row, int64_t j) { return loadHalf(row, j); },
        [&](Value row, int64_t j, Value value) {
          store(value, results, add(mul(row, plan.tile * lanes), j * lanes));
        });
  }

  /// Interleaves the results: a row of a tile consists of one result from each of `tile` vectors.
  /// Results past the end of a row are overwritten by the next row.
  void putInOrder(const Place &place) {
    loop(index(0), rowsOf(place, plan.tileRows, plan.band.rows), [&](Value tileRow) {
      loop(plan.tile, [&](Value row) {
        Value from = add(mul(tileRow, plan.band.pitch), mul(row, plan.tile * lanes));
        Value to = mul(add(mul(tileRow, plan.tile), row), p.outputColumns);
        for (int64_t first = 0; first < plan.tileColumns; first += plan.rowLanes) {
          Values columns;
          for (int64_t j = 0; j < plan.tile; ++j) {
            columns.push_back(loadLanes(b, results, add(from, j * lanes + first), plan.rowLanes));
          }
          store(interleave(columns), ordered, add(to, first * plan.tile));
        }
      });
    });
  }

  /// Interleaves (a b ..), (c d ..) to (a c b d ..). One shuffle combines all vectors, which LLVM
  /// recognizes as an interleaved store.
  Value interleave(ArrayRef<Value> columns) {
    Values parts(columns);
    auto count = static_cast<int64_t>(columns.size());
    int64_t width = plan.rowLanes;
    while (parts.size() > 2) {
      Values joined;
      int64_t wide = cast<VectorType>(parts[0].getType()).getNumElements() * 2;
      SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, wide));
      for (size_t i = 0; i < parts.size(); i += 2) {
        joined.push_back(b.create<vector::ShuffleOp>(parts[i], parts[i + 1], order));
      }
      parts = joined;
    }
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < width; ++lane) {
      for (int64_t i = 0; i < count; ++i) {
        order.push_back(i * width + lane);
      }
    }
    return b.create<vector::ShuffleOp>(parts[0], parts[1], order);
  }

  /// Finishes an output channel of a band. The rows of a plane are contiguous in `ordered` and in
  /// the result.
  void finishBand(const Place &place, Value output) {
    int64_t perBand = plan.band.rows * plan.tile;
    Value firstRow = mul(place.band, perBand);
    Value rows = rowsOf(place, p.outputRows, perBand);
    if (!isEpilogueFlat(kernel, function.body())) {
      loop(index(0), rows, [&](Value row) {
        forVectors(p.outputColumns, lanes, [&](int64_t column, int64_t width) {
          finish(place, output, add(firstRow, row), index(column),
                 add(mul(row, p.outputColumns), column), width);
        });
      });
      return;
    }
    // The last band may be the shortest. Its last vector overlaps the previous one.
    int64_t least = p.outputRows - (plan.band.bands - 1) * perBand;
    int64_t width = widthFor(std::min(least, perBand) * p.outputColumns, lanes);
    Value count = mul(rows, p.outputColumns);
    loop(index(0), ceilDiv(count, width), [&](Value i) {
      Value from = b.createOrFold<arith::MinSIOp>(mul(i, width), add(count, -width));
      finish(place, output, index(0), add(mul(firstRow, p.outputColumns), from), from, width);
    });
  }

  /// Applies the epilogue to the ordered results starting at `from` and stores them.
  void finish(const Place &place, Value output, Value row, Value column, Value from,
              int64_t width) {
    Lanes scalar(b, 1);
    SmallVector<Index> at = {scalar.uniform(place.batch), scalar.uniform(output),
                             scalar.uniform(row), Index{column, 1, {}}};
    Value element = finishElement(elements, kernel, at, loadLanes(b, ordered, from, width), width);
    Value plane = mul(add(mul(place.batch, p.outputChannels), output), p.outputRows);
    Value to = add(mul(add(plane, row), p.outputColumns), column);
    storeLanes(b, element, y, to);
  }

  Value load(Value memory, Value offset) {
    return b.create<vector::LoadOp>(vector, memory, offset);
  }
  void store(Value value, Value memory, Value offset) {
    b.create<vector::StoreOp>(value, memory, offset);
  }
  /// Returns the offset of (row, column) of the tile between its transforms.
  Value halfPlace(int64_t row, Value column) {
    return add(mul(column, lanes), row * plan.side * lanes);
  }
  Value loadHalf(Value row, int64_t column) {
    return load(half, add(mul(row, plan.side * lanes), column * lanes));
  }
  Value rowsOf(const Place &place, int64_t rows, int64_t perBand) {
    return min(sub(index(rows), mul(place.band, perBand)), perBand);
  }

  KernelFunction &function;
  const ConvKernel &kernel;
  const ConvProblem &p;
  WinogradPixelsAttr config;
  const TilePlan &plan;
  KernelEmitter elements; // loads epilogue operands
  VectorType vector;
  int64_t lanes;
  LineTransforms transforms;
  Value x, w, y;
  Value transformed, products; // scratch memory, see TilePlan.h
  Value scratch;               // the first element of the memory of the part
  Value half, results, ordered;
};

} // namespace

LogicalResult lowerWinogradPixels(task::KernelOp kernel, const ConvKernel &matched,
                                  WinogradPixelsAttr config, int64_t vectorBytes) {
  TilePlan plan(matched.problem, config);
  KernelFunction function(kernel, plan.scratchElements * 4);
  WinogradPixelsEmitter(function, matched, config, plan, vectorBytes).emit();
  return success();
}

} // namespace convoy::kernels
