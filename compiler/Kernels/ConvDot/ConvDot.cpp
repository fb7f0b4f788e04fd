// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Kernel.td documents. The sums use input bytes as stored in memory, plus
// the corrections at the start of each weight panel. Padding must therefore be multiplied as bytes
// that represent zero. If these bytes are 0, their code is omitted.
//
// A 16-bit input x is 256 * upper + lower, both unsigned bytes after x is made unsigned. Both have
// separate sums over the same weights, which are joined at the end:
//
//     sum w (x - zero) = 256 * sum w upper + sum w lower - zero * sum w

#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/Core/Epilogue.h"
#include "Kernels/Core/IndexMath.h"
#include "Kernels/Core/Tiles.h"
#include "Kernels/DotProduct.h"
#include "Kernels/KernelFunction.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

int64_t wholeBlocks(int64_t x, int64_t block) { return llvm::divideCeilSigned(x, block); }

/// Bytes per lane.
constexpr int64_t kLaneBytes = 4;
/// Prefetch locality: into the first-level cache.
constexpr int kFirstCache = 3;
constexpr int64_t kLineBytes = 64;

/// Distances in memory, in elements.
struct Strides {
  int64_t batch, block, row, pixel;
};

/// The position of a tile: panel and pixels. Dynamic parts are values.
struct Tile {
  Value batch, group, panel, row, column;
  int64_t vectors = 0;
  const TileRun *run = nullptr;
};

/// The addresses of a tap of a block of input channels.
struct Place {
  Value input, weight;
  int64_t fours; // groups of four channels
};

class ConvDotEmitter : IndexMath {
public:
  ConvDotEmitter(KernelFunction &function, const ConvKernel &kernel, ConvDotAttr config,
                 int64_t vectorBytes, DotForm form)
      : IndexMath(function.b), function(function), kernel(kernel), p(kernel.problem),
        config(config), elements(function.b, vectorBytes), dot(function.b, form, config.getBlock()),
        x(function.operand(kernel.input)), w(function.operand(kernel.weight)),
        block(config.getBlock()) {
    auto weights =
        cast<DotWeightsAttr>(graph::layoutOf(function.body().getArgument(kernel.weight).getType()));
    channelBlock = weights.getI();
    panelLanes = weights.getO();
    channelBlocks = wholeBlocks(p.inputChannels, channelBlock);
    outputBlocks = wholeBlocks(p.outputChannels, block);
    panels = wholeBlocks(outputBlocks, config.getVectors());
    isFlat = config.getColumns() != 0;
    columns = isFlat ? config.getColumns() : p.outputColumns;
    rows = p.outputRows * p.outputColumns / columns;
    window = {isFlat ? columns : p.inputColumns, p.kernelColumns, p.strideColumns,
              p.dilationColumns, p.padLeft};
    runs = cutRow(columns, config.getPixels(), window);
    isWide = kernel.integers->isInputWide;
    zero = unsignedZero(*kernel.integers);
    padBytes = isWide ? SmallVector<int64_t>{zero & 255, zero >> 8} : SmallVector<int64_t>{zero};
    setStrides();
    elements.pairsProducts = true;
    function.bindOperands(elements);
  }

  int64_t emit();

private:
  using Vectors = SmallVector<Value>;

  void setStrides();
  void emitTask(Value task);
  void emitPanel(Tile tile, Value rowLow, Value rowHigh);
  void emitTile(const Tile &tile);
  Vectors start(const Tile &tile);
  Vectors addPaddingRows(const Tile &tile, Vectors sums);
  Vectors accumulate(const Tile &tile, Vectors sums);
  Vectors accumulateBlock(const Tile &tile, Value channels, int64_t fours, Vectors sums);
  Vectors accumulateTaps(const Tile &tile, const Place &first, Vectors sums);
  Vectors accumulateTap(const Tile &tile, const Place &place, std::optional<int64_t> fixedTap,
                        Vectors sums);
  void fetchNextBlock(const Tile &tile, Value input);
  std::pair<Value, Value> tapRows(Value row);
  bool isRowPadded() const;
  void finish(const Tile &tile, ArrayRef<Value> sums);

  Value panelOf(const Tile &tile) { return add(mul(tile.group, panels), tile.panel); }
  /// Returns the offset of the weights of a block of channels.
  Value weightsOf(const Tile &tile, Value channels) {
    Value block = mul(channels, p.taps() * channelBlock * panelLanes);
    return add(add(mul(panelOf(tile), panelBytes()), block), panelLanes * kLaneBytes);
  }
  int64_t panelBytes() const {
    return panelLanes * kLaneBytes + channelBlocks * p.taps() * channelBlock * panelLanes;
  }
  Index channelsOf(const Tile &tile, int64_t v) {
    Value number = add(add(mul(tile.group, outputBlocks), mul(tile.panel, config.getVectors())), v);
    return elements.blockOfChannels(number, block);
  }
  /// Returns how many dot products an input takes part in: one per byte.
  int64_t parts() const { return static_cast<int64_t>(padBytes.size()); }
  bool padsWithZeros() const {
    return llvm::all_of(padBytes, [](int64_t byte) { return byte == 0; });
  }
  /// Returns the padding bytes of a part in every lane.
  Value padding(int64_t part) {
    return dot.splat(static_cast<int32_t>(padBytes[part] * 0x01010101));
  }
  Value biasOf(const Tile &tile, int64_t v);
  Value startOfWide(const Tile &tile, int64_t v);
  Value joinParts(Value start, Value lower, Value upper);
  /// Loads `lanes` i32 from bytes in memory.
  Value load(Value memory, Value offset, int64_t lanes) {
    auto bytes = VectorType::get({lanes * kLaneBytes}, b.getI8Type());
    Value loaded = b.create<vector::LoadOp>(bytes, memory, offset);
    return b.create<vector::BitCastOp>(VectorType::get({lanes}, b.getI32Type()), loaded);
  }
  Vectors loadSpread(Value offset);
  Value spread(Value lane);

  KernelFunction &function;
  const ConvKernel &kernel;
  const ConvProblem &p;
  ConvDotAttr config;
  KernelEmitter elements; // loads epilogue operands
  DotProduct dot;
  Value x, w;
  int64_t block, channelBlock, channelBlocks, panelLanes, outputBlocks, panels, columns, rows;
  int64_t zero;                  // the unsigned input that represents zero
  SmallVector<int64_t> padBytes; // its bytes, the lower one first
  bool isFlat, isWide;
  Window window;
  Strides in, out;
  std::vector<TileRun> runs;
};

void ConvDotEmitter::setStrides() {
  if (p.isMatrix) {
    in = {0, channelBlock, 0, p.inputChannels};
    out = {0, block, 0, outputBlocks * block};
    return;
  }
  int64_t pixels = p.inputRows * p.inputColumns * channelBlock;
  int64_t blocks = wholeBlocks(p.inputChannels * p.groups, channelBlock);
  in = {blocks * pixels, pixels, (isFlat ? columns : p.inputColumns) * channelBlock, channelBlock};
  int64_t outputPixels = p.outputRows * p.outputColumns * block;
  out = {p.groups * outputBlocks * outputPixels, outputPixels, columns * block, block};
}

int64_t ConvDotEmitter::emit() {
  elements.loop(function.begin(), function.end(), {}, [&](Value task, ValueRange) {
    emitTask(task);
    return Vectors();
  });
  return p.batch * p.groups * wholeBlocks(rows, config.getRows()) *
         wholeBlocks(panels, config.getPanels());
}

void ConvDotEmitter::emitTask(Value task) {
  Lanes l(b, 1);
  SmallVector<Index> at =
      l.delinearize(l.uniform(task), {p.batch, p.groups, wholeBlocks(panels, config.getPanels()),
                                      wholeBlocks(rows, config.getRows())});
  Tile tile;
  tile.batch = at[0].base;
  tile.group = at[1].base;
  Value rowLow = mul(at[3].base, config.getRows());
  Value rowHigh = min(add(rowLow, config.getRows()), rows);
  Value panelLow = mul(at[2].base, config.getPanels());
  Value panelHigh = min(add(panelLow, config.getPanels()), panels);
  int64_t fullPanels = outputBlocks / config.getVectors();
  int64_t rest = outputBlocks % config.getVectors();
  auto emitPanels = [&](Value low, Value high, int64_t vectors) {
    elements.loop(low, high, {}, [&](Value panel, ValueRange) {
      tile.panel = panel;
      tile.vectors = vectors;
      emitPanel(tile, rowLow, rowHigh);
      return Vectors();
    });
  };
  if (fullPanels > 0) {
    emitPanels(panelLow, min(panelHigh, fullPanels), config.getVectors());
  }
  if (rest > 0) { // The last panel has fewer vectors, so it has separate code.
    emitPanels(max(panelLow, fullPanels), panelHigh, rest);
  }
}

void ConvDotEmitter::emitPanel(Tile tile, Value rowLow, Value rowHigh) {
  elements.loop(rowLow, rowHigh, {}, [&](Value row, ValueRange) {
    tile.row = row;
    for (const TileRun &run : runs) {
      tile.run = &run;
      elements.loop(run.count, {}, [&](Value i, ValueRange) {
        tile.column = add(mul(i, run.pixels), run.first);
        emitTile(tile);
        return Vectors();
      });
    }
    return Vectors();
  });
}

void ConvDotEmitter::emitTile(const Tile &tile) {
  Vectors first = start(tile);
  Vectors sums;
  for (Value vector : first) {
    sums.append(tile.run->pixels, vector);
  }
  finish(tile, accumulate(tile, sums));
}

/// Returns the bias of a vector of channels, or null.
Value ConvDotEmitter::biasOf(const Tile &tile, int64_t v) {
  Value bias = kernel.bias();
  if (!bias) {
    return {};
  }
  elements.width = block;
  Value own = elements.lanes().splat(elements.element(bias, {channelsOf(tile, v)}));
  elements.width = 1;
  return own;
}

/// Returns the initial sums of all pixels of a tile: the corrections of the panel, the bias, and
/// the contribution of rows above and below the input. The sums of a 16-bit input start with the
/// padding only, first of the lower and then of the upper bytes.
ConvDotEmitter::Vectors ConvDotEmitter::start(const Tile &tile) {
  Value panel = mul(panelOf(tile), panelBytes());
  Vectors sums;
  for (int64_t v = 0; v < tile.vectors && !isWide; ++v) {
    Value sum = load(w, add(panel, v * block * kLaneBytes), block);
    if (Value bias = biasOf(tile, v)) {
      sum = b.create<arith::AddIOp>(sum, bias);
    }
    sums.push_back(sum);
  }
  if (isWide) {
    sums.resize(parts() * tile.vectors, dot.splat(0));
  }
  return !padsWithZeros() && isRowPadded() ? addPaddingRows(tile, sums) : sums;
}

ConvDotEmitter::Vectors ConvDotEmitter::addPaddingRows(const Tile &tile, Vectors sums) {
  auto [low, high] = tapRows(tile.row);
  auto rowOfTaps = [&](Value tapRow, ValueRange carried) {
    return elements.loop(channelBlocks, Vectors(carried), [&](Value channels, ValueRange inner) {
      int64_t stepBytes = panelLanes * kLaneBytes;
      int64_t fours = p.kernelColumns * channelBlock / kLaneBytes;
      Value weight = add(weightsOf(tile, channels), mul(tapRow, fours * stepBytes));
      return elements.loop(fours, Vectors(inner), [&](Value four, ValueRange now) {
        Vectors next(now);
        for (int64_t v = 0; v < tile.vectors; ++v) {
          Value offset = add(add(weight, mul(four, stepBytes)), v * block * kLaneBytes);
          Value weights = load(w, offset, block);
          for (int64_t part = 0; part < parts(); ++part) {
            Value &sum = next[part * tile.vectors + v];
            sum = padBytes[part] == 0 ? sum : dot.addBytes(sum, padding(part), weights);
          }
        }
        return next;
      });
    });
  };
  sums = elements.loop(index(0), low, sums, rowOfTaps);
  return elements.loop(high, index(p.kernelRows), sums, rowOfTaps);
}

ConvDotEmitter::Vectors ConvDotEmitter::accumulate(const Tile &tile, Vectors sums) {
  int64_t full = p.inputChannels / channelBlock;
  int64_t rest = p.inputChannels % channelBlock;
  if (full > 0) {
    sums = elements.loop(full, sums, [&](Value channels, ValueRange carried) {
      return accumulateBlock(tile, channels, channelBlock / kLaneBytes, Vectors(carried));
    });
  }
  return rest == 0 ? sums : accumulateBlock(tile, index(full), wholeBlocks(rest, kLaneBytes), sums);
}

bool ConvDotEmitter::isRowPadded() const {
  int64_t last = (p.outputRows - 1) * p.strideRows + (p.kernelRows - 1) * p.dilationRows;
  return p.padTop > 0 || last - p.padTop >= p.inputRows;
}

/// Returns the range [low, high) of rows of taps inside the input, with 0 <= low <= high.
std::pair<Value, Value> ConvDotEmitter::tapRows(Value row) {
  if (!isRowPadded()) {
    return {index(0), index(p.kernelRows)};
  }
  Value above = subProduct(p.padTop, row, p.strideRows);
  Value low = min(max(ceilDiv(above, p.dilationRows), 0), p.kernelRows);
  Value high = min(ceilDiv(add(above, p.inputRows), p.dilationRows), p.kernelRows);
  return {low, b.createOrFold<arith::MaxSIOp>(low, high)};
}

ConvDotEmitter::Vectors ConvDotEmitter::accumulateBlock(const Tile &tile, Value channels,
                                                        int64_t fours, Vectors sums) {
  // Offsets that do not depend on the row of taps.
  Value number = add(mul(tile.group, channelBlocks), channels);
  Value column = add(mul(tile.column, p.strideColumns), -p.padLeft);
  Value input = add(add(mul(tile.batch, in.batch), mul(number, in.block)), mul(column, in.pixel));
  Value weight = weightsOf(tile, channels);
  auto body = [&](Value tapRow, ValueRange carried) {
    Value row = add(add(mul(tile.row, p.strideRows), mul(tapRow, p.dilationRows)), -p.padTop);
    Value bytes = mul(tapRow, p.kernelColumns * channelBlock * panelLanes);
    Place place{add(input, mul(row, in.row)), add(weight, bytes), fours};
    return accumulateTaps(tile, place, Vectors(carried));
  };
  if (p.kernelRows == 1 && !isRowPadded()) {
    return body(index(0), sums);
  }
  auto [low, high] = tapRows(tile.row);
  return elements.loop(low, high, sums, body);
}

/// Emits a loop over the taps of a row. In an edge tile each tap is a case of a switch, as in
/// ConvDirect.
ConvDotEmitter::Vectors ConvDotEmitter::accumulateTaps(const Tile &tile, const Place &first,
                                                       Vectors sums) {
  auto placeOf = [&](Value tap) {
    return Place{add(first.input, mul(tap, p.dilationColumns * in.pixel)),
                 add(first.weight, mul(tap, channelBlock * panelLanes)), first.fours};
  };
  return elements.loop(p.kernelColumns, sums, [&](Value tap, ValueRange carried) {
    if (tile.run->isInside) {
      return accumulateTap(tile, placeOf(tap), std::nullopt, Vectors(carried));
    }
    auto cases = llvm::to_vector(
        llvm::seq<int64_t>(0, p.kernelColumns - 1)); // the last one is the default case
    SmallVector<Type> types(carried.size(), dot.type());
    auto choice = b.create<scf::IndexSwitchOp>(types, tap, cases, cases.size());
    OpBuilder::InsertionGuard guard(b);
    auto fill = [&](Region &region, int64_t fixedTap) {
      b.setInsertionPointToStart(&region.emplaceBlock());
      b.create<scf::YieldOp>(
          accumulateTap(tile, placeOf(index(fixedTap)), fixedTap, Vectors(carried)));
    };
    for (auto [fixedTap, region] : llvm::zip(cases, choice.getCaseRegions())) {
      fill(region, fixedTap);
    }
    fill(choice.getDefaultRegion(), p.kernelColumns - 1);
    return Vectors(choice.getResults());
  });
}

Value ConvDotEmitter::spread(Value lane) {
  return b.create<vector::BroadcastOp>(dot.type(), b.create<vector::ExtractOp>(lane, 0));
}

/// Loads four channels of a pixel and broadcasts them to every lane, as unsigned bytes. For 16-bit
/// inputs, the lower bytes and the upper bytes of the four channels are separate vectors:
///
///     u3 l3 u2 l2 u1 l1 u0 l0    ->    l3 l2 l1 l0  and  u3 u2 u1 u0
ConvDotEmitter::Vectors ConvDotEmitter::loadSpread(Value offset) {
  Vectors result;
  if (isWide) {
    auto words = VectorType::get({kLaneBytes}, b.getI16Type());
    auto bytes = VectorType::get({2 * kLaneBytes}, b.getI8Type());
    Value four = b.create<vector::BitCastOp>(bytes, b.create<vector::LoadOp>(words, x, offset));
    for (int64_t part = 0; part < parts(); ++part) {
      SmallVector<int64_t> taken = {part, part + 2, part + 4, part + 6};
      Value own = b.create<vector::ShuffleOp>(four, four, taken);
      result.push_back(
          spread(b.create<vector::BitCastOp>(VectorType::get({1}, b.getI32Type()), own)));
    }
  } else {
    result.push_back(spread(load(x, offset, 1)));
  }
  if (kernel.integers->isInputSigned) {
    result.back() =
        b.create<arith::XOrIOp>(result.back(), dot.splat(static_cast<int32_t>(0x80808080)));
  }
  return result;
}

/// Prefetches the pixels of the next block. With a single tap, each pixel is used only once, and
/// its cache lines are too far apart for the hardware prefetcher.
void ConvDotEmitter::fetchNextBlock(const Tile &tile, Value input) {
  if (p.taps() > 1 || p.isMatrix || channelBlocks == 1) {
    return;
  }
  int64_t step = p.strideColumns * in.pixel;
  int64_t perLine = std::max<int64_t>(1, kLineBytes / (step * parts()));
  for (int64_t pixel = 0; pixel < tile.run->pixels; pixel += perLine) {
    b.create<memref::PrefetchOp>(x, ValueRange{add(input, in.block + pixel * step)},
                                 /*isWrite=*/false, kFirstCache, /*isDataCache=*/true);
  }
}

/// The micro-kernel: sums += weights of the tap's channels times their pixels.
ConvDotEmitter::Vectors ConvDotEmitter::accumulateTap(const Tile &tile, const Place &place,
                                                      std::optional<int64_t> fixedTap,
                                                      Vectors sums) {
  int64_t pixels = tile.run->pixels;
  fetchNextBlock(tile, place.input);
  for (int64_t four = 0; four < place.fours; ++four) {
    Vectors weights;
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Value offset = add(place.weight, (four * panelLanes + v * block) * kLaneBytes);
      weights.push_back(load(w, offset, block));
    }
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      bool isInside = !fixedTap || window.isValid(tile.run->first + pixel, *fixedTap);
      int64_t distance = pixel * p.strideColumns * in.pixel + four * kLaneBytes;
      Vectors bytes = isInside ? loadSpread(add(place.input, distance)) : Vectors();
      for (int64_t part = 0; part < parts(); ++part) {
        if (!isInside && padBytes[part] == 0) {
          continue;
        }
        Value own = isInside ? bytes[part] : padding(part);
        for (int64_t v = 0; v < tile.vectors; ++v) {
          Value &sum = sums[(part * tile.vectors + v) * pixels + pixel];
          sum = dot.addBytes(sum, own, weights[v]);
        }
      }
    }
  }
  return sums;
}

/// Returns bias - zero * sum(weights) of a vector of channels, in the type of the sums.
Value ConvDotEmitter::startOfWide(const Tile &tile, int64_t v) {
  Lanes l(b, block);
  ElementType type = elements.type(kernel.op->getResult(0));
  Value panel = mul(panelOf(tile), panelBytes());
  Value weights =
      convert(l, load(w, add(panel, v * block * kLaneBytes), block), ElementType::I32, type);
  Value factor = l.intOf(registerType(type, b.getContext()), -zero);
  Value start = l.op<arith::MulIOp>(weights, factor);
  Value bias = biasOf(tile, v);
  return bias ? b.create<arith::AddIOp>(start, bias).getResult() : start;
}

/// Returns start + 256 * upper + lower in the type of `start`.
Value ConvDotEmitter::joinParts(Value start, Value lower, Value upper) {
  Lanes l(b, block);
  ElementType type = elements.type(kernel.op->getResult(0));
  Value eight = l.intOf(registerType(type, b.getContext()), 8);
  Value high = l.op<arith::ShLIOp>(convert(l, upper, ElementType::I32, type), eight);
  Value low = b.create<arith::AddIOp>(start, convert(l, lower, ElementType::I32, type));
  return b.create<arith::AddIOp>(low, high);
}

/// Applies the epilogue ops to the sums and stores the results.
void ConvDotEmitter::finish(const Tile &tile, ArrayRef<Value> sums) {
  Lanes scalar(b, 1);
  Value result = function.body().getTerminator()->getOperand(0);
  Buffer memory{function.result(0), elements.type(result)};
  bool hasRows = cast<RankedTensorType>(kernel.op->getResult(0).getType()).getRank() == 4;
  for (int64_t v = 0; v < tile.vectors; ++v) {
    Index channels = channelsOf(tile, v);
    Value number = add(add(mul(tile.group, outputBlocks), mul(tile.panel, config.getVectors())), v);
    Value wideStart = isWide ? startOfWide(tile, v) : Value();
    Value first = add(add(mul(tile.batch, out.batch), mul(number, out.block)),
                      add(mul(tile.row, out.row), mul(tile.column, out.pixel)));
    for (int64_t pixel = 0; pixel < tile.run->pixels; ++pixel) {
      Value column = add(tile.column, pixel);
      SmallVector<Index> at = {scalar.uniform(p.isMatrix ? column : tile.batch), channels};
      if (isFlat) { // All rows are joined to one; no epilogue operand distinguishes rows.
        column = add(mul(tile.row, columns), column);
      }
      if (!p.isMatrix && hasRows) {
        at.push_back(isFlat ? scalar.constant(0) : scalar.uniform(tile.row));
      }
      if (!p.isMatrix) {
        at.push_back(scalar.uniform(column));
      }
      if (isFlat && p.outputColumns == 1) {
        std::swap(at[2], at[3]); // The index along a dimension of size 1 is ignored.
      }
      Value sum = sums[v * tile.run->pixels + pixel];
      if (isWide) {
        Value upper = sums[(tile.vectors + v) * tile.run->pixels + pixel];
        sum = joinParts(wideStart, sum, upper);
      }
      Value element = finishSum(elements, kernel, at, sum, block);
      Lanes lanes(b, block);
      store(lanes, memory, Index{add(first, pixel * out.pixel), 1, {}}, element);
    }
  }
}

} // namespace

LogicalResult lowerConvDot(task::KernelOp kernel, ConvDotAttr config, int64_t vectorBytes,
                           DotForm form) {
  Block &body = kernel.getBody().front();
  std::optional<ConvKernel> matched = matchIntegerKernel(body);
  std::string reason =
      matched ? whyNotConvDot(*matched, body, config) : "the kernel has no integer convolution";
  if (!reason.empty()) {
    return kernel.emitOpError("has the configuration ")
           << config << ", which does not fit the kernel: " << reason
           << "; this is a bug in convoy's layout stage";
  }
  KernelFunction function(kernel);
  function.allowInPlace(addedOperands(*matched, body));
  function.finish(ConvDotEmitter(function, *matched, config, vectorBytes, form).emit());
  return success();
}

} // namespace convoy::kernels
