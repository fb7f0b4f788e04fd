// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Kernel.td documents. A strip reads each input column of a row of taps
// once and adds it to every pixel that has a tap on it:
//
//     3 taps, stride 1, 4 pixels     column  0  1  2  3  4  5
//                                    pixel 0 w0 w1 w2
//                                    pixel 1    w0 w1 w2
//                                    pixel 2       w0 w1 w2
//                                    pixel 3          w0 w1 w2
//
// Columns outside the input are omitted at compile time (Tiles.h); rows of taps outside the input
// are omitted by loop bounds. Integers are converted to i32 minus their zero points, so the code
// for integers and floats is otherwise the same.

#include "Kernels/Depthwise/Depthwise.h"
#include "Kernels/Core/Edges.h"
#include "Kernels/Core/Epilogue.h"
#include "Kernels/Core/InterleaveChains.h"
#include "Kernels/DotProduct.h"
#include "Kernels/KernelFunction.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// A strip of pixels of a row. Dynamic parts are values.
struct Strip {
  Value batch, channels, row, column; // channels: the number of the block
  const TileRun *run = nullptr;
};

class DepthwiseEmitter : LoopNest {
public:
  DepthwiseEmitter(KernelFunction &function, const ConvKernel &kernel, DepthwiseAttr config,
                   int64_t vectorBytes, DotForm form)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.problem), config(config),
        elements(function.b, vectorBytes), form(form), dot(function.b, form, config.getBlock()),
        vector(kernel.integers ? dot.type()
                               : VectorType::get({config.getBlock()}, function.b.getF32Type())),
        x(function.operand(kernel.input)), w(function.operand(kernel.weight)),
        block(config.getBlock()), blocks((p.groups + block - 1) / block),
        rowChunks((p.outputRows + config.getRows() - 1) / config.getRows()),
        window{p.inputColumns, p.kernelColumns, p.strideColumns, p.dilationColumns, p.padLeft},
        runs(cutRow(p.outputColumns, config.getPixels(), window)) {
    setProducts(elements, kernel.integers ? form : DotForm::None);
    function.bindOperands(elements);
  }

  int64_t emit() {
    loop(function.begin(), function.end(), [&](Value task) { emitTask(task); });
    function.setRows(p.batch * blocks, task::evenChunks(p.outputRows, config.getRows()));
    return p.batch * blocks * rowChunks;
  }

private:
  using Vectors = SmallVector<Value>;

  void emitTask(Value task) {
    Lanes l(b, 1);
    SmallVector<Index> at = l.delinearize(l.uniform(task), {p.batch, blocks, rowChunks});
    Strip strip;
    strip.batch = at[0].base;
    strip.channels = at[1].base;
    Value low = mul(at[2].base, config.getRows());
    Value high = min(add(low, config.getRows()), p.outputRows);
    loop(low, high, [&](Value row) {
      strip.row = row;
      emitRow(strip);
    });
  }

  /// Emits one row of the result. If possible, sums four rows of taps per dot product. Otherwise,
  /// rows whose taps are all inside the input keep all weights in registers, and the remaining rows
  /// loop over rows of taps.
  void emitRow(const Strip &strip) {
    if (sumsBytes()) {
      SmallVector<Vectors> weights = loadFours(strip);
      return emitStrips(strip, [&](const Strip &at, Vectors sums) {
        Vectors starts = sums;
        sums = accumulateFours(at, weights, std::move(sums));
        return kernel.correctsWeights() ? corrected(at, sums, starts) : sums;
      });
    }
    auto inside = [&] {
      Vectors weights;
      for (int64_t tapRow = 0; tapRow < p.kernelRows; ++tapRow) {
        weights.append(loadWeights(strip, index(tapRow)));
      }
      emitStrips(strip, [&](const Strip &at, Vectors sums) {
        for (int64_t tapRow = 0; tapRow < p.kernelRows; ++tapRow) {
          auto own = ArrayRef(weights).slice(tapRow * p.kernelColumns, p.kernelColumns);
          sums = accumulateRow(at, index(tapRow), own, sums);
        }
        return sums;
      });
    };
    auto cut = [&] {
      emitStrips(strip, [&](const Strip &at, Vectors sums) {
        auto [low, high] = tapRows(*this, p, at.row);
        return loop(low, high, sums, [&](Value tapRow, Vectors carried) {
          return config.getHeld() == 0
                     ? accumulateTaps(at, tapRow, std::move(carried))
                     : accumulateRow(at, tapRow, loadWeights(at, tapRow), std::move(carried));
        });
      });
    };
    auto [first, second] = insideRows();
    if (config.getHeld() != p.kernelRows || first >= second) {
      return cut();
    }
    if (first == 0 && second == p.outputRows) {
      return inside();
    }
    Value isAfter = b.create<arith::CmpIOp>(arith::CmpIPredicate::sge, strip.row, index(first));
    Value isBefore = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, strip.row, index(second));
    Value isInside = b.create<arith::AndIOp>(isAfter, isBefore);
    branch(isInside, inside, cut);
  }

  void emitStrips(Strip strip, llvm::function_ref<Vectors(const Strip &, Vectors)> accumulate) {
    for (const TileRun &run : runs) {
      strip.run = &run;
      loop(run.count, [&](Value i) {
        strip.column = add(mul(i, run.pixels), run.first);
        Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
        store(strip, accumulate(strip, Vectors(run.pixels, zero)));
      });
    }
  }

  Vectors loadWeights(const Strip &strip, Value tapRow) {
    Value first = mul(add(mul(strip.channels, p.kernelRows), tapRow), p.kernelColumns * block);
    Vectors weights;
    Value zeros = channelZeros(strip);
    for (int64_t tap = 0; tap < p.kernelColumns; ++tap) {
      weights.push_back(loadWeight(add(first, tap * block), zeros));
    }
    return weights;
  }

  /// Returns whether four rows of taps can be summed by one dot product of bytes. The input byte
  /// that represents zero must be 0, so that no correction is needed.
  bool sumsBytes() const {
    const std::optional<IntegerOperands> &own = kernel.integers;
    return own && form == DotForm::Bytes && own->isWeightSigned &&
           own->inputZeroPoint == (own->isInputSigned ? -128 : 0);
  }

  /// Loads the bytes of a block from up to four offsets and interleaves them, so the bytes of a
  /// channel share a lane. Missing bytes are zero.
  Value loadRows(ArrayRef<Value> offsets, Value memory, bool isSigned) {
    auto bytes = VectorType::get({block}, b.getI8Type());
    Vectors rows;
    for (Value offset : offsets) {
      rows.push_back(b.create<vector::LoadOp>(bytes, memory, offset));
    }
    rows.resize(4, b.create<arith::ConstantOp>(b.getZeroAttr(bytes)));
    SmallVector<int64_t> joined, spread;
    for (int64_t i = 0; i < 2 * block; ++i) {
      joined.push_back(i);
    }
    for (int64_t i = 0; i < 4 * block; ++i) {
      spread.push_back(i % 4 * block + i / 4);
    }
    Value low = b.create<vector::ShuffleOp>(rows[0], rows[1], joined);
    Value high = b.create<vector::ShuffleOp>(rows[2], rows[3], joined);
    Value lanes =
        b.create<vector::BitCastOp>(vector, b.create<vector::ShuffleOp>(low, high, spread));
    return isSigned ? b.create<arith::XOrIOp>(lanes, dot.splat(static_cast<int32_t>(0x80808080)))
                          .getResult()
                    : lanes;
  }

  /// Returns the weights of each four rows of taps, per tap; zero for rows outside the input.
  SmallVector<Vectors> loadFours(const Strip &strip) {
    Value first = mul(strip.channels, p.taps() * block);
    SmallVector<Vectors> weights;
    bool isCut = insideRows() != std::pair<int64_t, int64_t>(0, p.outputRows);
    for (int64_t row = 0; row < p.kernelRows; row += 4) {
      Value mask = isCut ? bytesInside(strip, row) : Value();
      Vectors own;
      for (int64_t tap = 0; tap < p.kernelColumns; ++tap) {
        Vectors offsets;
        for (int64_t next = row; next < std::min(row + 4, p.kernelRows); ++next) {
          offsets.push_back(add(first, (next * p.kernelColumns + tap) * block));
        }
        Value loaded = loadRows(offsets, w, /*isSigned=*/false);
        own.push_back(mask ? b.create<arith::AndIOp>(loaded, mask).getResult() : loaded);
      }
      weights.push_back(own);
    }
    return weights;
  }

  /// Subtracts the zero points of the weights times the sums of the inputs; `starts` are zeros.
  Vectors corrected(const Strip &strip, Vectors sums, Vectors starts) {
    bool isCut = insideRows() != std::pair<int64_t, int64_t>(0, p.outputRows);
    SmallVector<Vectors> ones;
    for (int64_t row = 0; row < p.kernelRows; row += 4) {
      int64_t bytes = std::min<int64_t>(p.kernelRows - row, 4);
      Value own = dot.splat(static_cast<int32_t>(0x01010101u >> (8 * (4 - bytes))));
      own = isCut ? b.create<arith::AndIOp>(own, bytesInside(strip, row)).getResult() : own;
      ones.emplace_back(p.kernelColumns, own);
    }
    Vectors inputs = accumulateFours(strip, ones, std::move(starts));
    Index channels = elements.blockOfChannels(strip.channels, block);
    Value zeros = weightZeros(elements, kernel, channels, block);
    for (auto [sum, input] : llvm::zip(sums, inputs)) {
      sum = correctedSums(b, sum, zeros, input);
    }
    return sums;
  }

  /// Does accumulateRow for four rows of taps at a time. Rows outside the input read the nearest
  /// row inside, with zero weights.
  Vectors accumulateFours(const Strip &strip, ArrayRef<Vectors> weights, Vectors sums) {
    for (auto [four, own] : llvm::enumerate(weights)) {
      Vectors rows;
      for (int64_t row = 4 * four; row < std::min<int64_t>(4 * four + 4, p.kernelRows); ++row) {
        rows.push_back(inputRow(strip, index(row), /*isClamped=*/true));
      }
      auto load = [&](int64_t column) {
        Vectors offsets;
        for (Value row : rows) {
          offsets.push_back(add(row, column * block));
        }
        return loadRows(offsets, x, kernel.integers->isInputSigned);
      };
      sums = addColumns(strip, std::move(sums), load,
                        [&, &own = own](int64_t tap, Value loaded, Value sum) {
                          return dot.addBytes(sum, loaded, own[tap]);
                        });
    }
    return sums;
  }

  /// The micro-kernel: loads each column once and adds it to every pixel that has a tap on it.
  Vectors addColumns(const Strip &strip, Vectors sums, llvm::function_ref<Value(int64_t)> load,
                     llvm::function_ref<Value(int64_t, Value, Value)> addTap) {
    int64_t last =
        (strip.run->pixels - 1) * p.strideColumns + (p.kernelColumns - 1) * p.dilationColumns;
    for (int64_t column = 0; column <= last; ++column) {
      Value loaded;
      for (int64_t tap = 0; tap < p.kernelColumns; ++tap) {
        int64_t distance = column - tap * p.dilationColumns;
        int64_t pixel = distance / p.strideColumns;
        bool isTap = distance >= 0 && distance % p.strideColumns == 0 && pixel < strip.run->pixels;
        if (isTap && isValid(strip, pixel, tap)) {
          loaded = loaded ? loaded : load(column);
          sums[pixel] = addTap(tap, loaded, sums[pixel]);
        }
      }
    }
    return sums;
  }

  Vectors accumulateRow(const Strip &strip, Value tapRow, ArrayRef<Value> weights, Vectors sums) {
    Value first = inputRow(strip, tapRow);
    return addColumns(
        strip, std::move(sums),
        [&](int64_t column) { return loadInput(add(first, column * block)); },
        [&](int64_t tap, Value loaded, Value sum) {
          return multiplyAdd(weights[tap], loaded, sum);
        });
  }

  /// Does accumulateRow tap by tap, if the weights of a row of taps do not fit in registers.
  Vectors accumulateTaps(const Strip &strip, Value tapRow, Vectors sums) {
    Value first = inputRow(strip, tapRow);
    Vectors weights = loadWeights(strip, tapRow);
    for (int64_t tap = 0; tap < p.kernelColumns; ++tap) {
      for (int64_t pixel = 0; pixel < strip.run->pixels; ++pixel) {
        if (isValid(strip, pixel, tap)) {
          int64_t column = pixel * p.strideColumns + tap * p.dilationColumns;
          Value loaded = loadInput(add(first, column * block));
          sums[pixel] = multiplyAdd(weights[tap], loaded, sums[pixel]);
        }
      }
    }
    return sums;
  }

  /// Returns the offset of the strip's first column in the input row of `tapRow`, as if padding
  /// were in memory. If `isClamped` is set, uses the nearest row inside the input.
  Value inputRow(const Strip &strip, Value tapRow, bool isClamped = false) {
    Value plane = add(mul(strip.batch, blocks), strip.channels);
    Value row = add(add(mul(strip.row, p.strideRows), mul(tapRow, p.dilationRows)), -p.padTop);
    row = isClamped ? min(max(row, 0), p.inputRows - 1) : row;
    Value column = add(mul(strip.column, p.strideColumns), -p.padLeft);
    Value pixel =
        add(add(mul(plane, p.inputRows * p.inputColumns), mul(row, p.inputColumns)), column);
    return mul(pixel, block);
  }

  /// Returns a mask with one byte per row of taps, for four rows: all ones if the row is inside the
  /// input, otherwise zero.
  Value bytesInside(const Strip &strip, int64_t firstRow) {
    Value mask = b.create<arith::ConstantOp>(b.getI32IntegerAttr(0));
    for (int64_t tapRow = firstRow; tapRow < std::min(firstRow + 4, p.kernelRows); ++tapRow) {
      Value row = add(mul(strip.row, p.strideRows), tapRow * p.dilationRows - p.padTop);
      Value isInside = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, row, index(p.inputRows));
      auto ones = static_cast<int32_t>(uint32_t(0xff) << (8 * (tapRow - firstRow)));
      Value byte = b.create<arith::ConstantOp>(b.getI32IntegerAttr(ones));
      Value with = b.create<arith::OrIOp>(mask, byte);
      mask = b.create<arith::SelectOp>(isInside, with, mask);
    }
    return b.create<vector::BroadcastOp>(vector, mask);
  }

  void store(const Strip &strip, ArrayRef<Value> sums) {
    Lanes scalar(b, 1);
    Index channels = elements.blockOfChannels(strip.channels, block);
    Value plane = add(mul(strip.batch, blocks), strip.channels);
    Value row = add(mul(plane, p.outputRows), strip.row);
    Value first = mul(add(mul(row, p.outputColumns), strip.column), block);
    Lanes lanes(b, block);
    Value result = function.body().getTerminator()->getOperand(0);
    Buffer memory{function.result(0), elements.type(result)};
    auto storePixel = [&](int64_t pixel) {
      SmallVector<Index> at =
          resultAt(kernel, scalar.uniform(strip.batch), channels, scalar.uniform(strip.row),
                   scalar.uniform(add(strip.column, pixel)));
      Value element = finishElement(elements, kernel, at, sums[pixel], block);
      kernels::store(lanes, memory, {add(first, pixel * block), 1, {}}, element);
    };
    auto pixels = static_cast<int64_t>(sums.size());
    int64_t group = epilogueCycles(kernel) < kInterleavedCycles ? 1 : kInterleavedChains;
    for (int64_t pixel = 0; pixel < pixels; pixel += group) {
      interleaveChains(b, std::min(group, pixels - pixel),
                       [&](int64_t i) { storePixel(pixel + i); });
    }
  }

  /// Returns the range [first, second) of result rows whose taps are all inside the input.
  std::pair<int64_t, int64_t> insideRows() const {
    WindowAxis rows{p.inputRows, p.kernelRows, p.strideRows, p.dilationRows, p.padTop};
    int64_t first = 0;
    while (first < p.outputRows && !rows.isValid(first, 0)) {
      ++first;
    }
    int64_t second = p.outputRows;
    while (second > first && !rows.isValid(second - 1, p.kernelRows - 1)) {
      --second;
    }
    return {first, second};
  }

  bool isValid(const Strip &strip, int64_t pixel, int64_t tap) const {
    return strip.run->isInside || window.isValid(strip.run->first + pixel, tap);
  }
  Value loadInput(Value offset) {
    return kernel.integers ? loadCentered(x, offset, kernel.integers->isInputSigned,
                                          kernel.integers->inputZeroPoint)
                           : b.create<vector::LoadOp>(vector, x, offset).getResult();
  }
  /// Returns the zero points of the weights of a block of channels, or null if all are equal.
  Value channelZeros(const Strip &strip) {
    Value operand = kernel.integers ? kernel.weightZeroPoints() : Value();
    if (!operand) {
      return {};
    }
    Index channels = elements.blockOfChannels(strip.channels, block);
    Value zeros = channelElements(elements, operand, channels, block);
    auto words = VectorType::get({block}, b.getI16Type());
    return takesWords() ? b.create<arith::TruncIOp>(words, zeros).getResult() : zeros;
  }
  /// Loads weights; `zeros` are subtracted if they are not null.
  Value loadWeight(Value offset, Value zeros) {
    if (!kernel.integers) {
      Lanes lanes(b, block);
      Value weight = kernels::load(lanes, {w, kernel.weightType}, Index{offset, 1, {}});
      // A block of one channel is a scalar.
      return weight.getType() == vector ? weight
                                        : b.create<vector::BroadcastOp>(vector, weight).getResult();
    }
    Value weight =
        loadCentered(w, offset, kernel.integers->isWeightSigned, kernel.integers->weightZeroPoint);
    weight = zeros ? b.create<arith::SubIOp>(weight, zeros).getResult() : weight;
    return takesWords() ? weight : dot.asFactor(weight);
  }
  /// Returns whether factors are words in registers: bytes minus a zero point fit in 16 bits.
  bool takesWords() const {
    return kernel.integers && isOfArm(form) && !kernel.integers->isInputWide;
  }
  /// Loads the bytes or words of a block minus their zero point, as i32 or as the words that
  /// multiplyWords() takes.
  Value loadCentered(Value memory, Value offset, bool isSigned, int64_t zeroPoint) {
    auto narrow = VectorType::get({block}, cast<MemRefType>(memory.getType()).getElementType());
    Value bytes = b.create<vector::LoadOp>(narrow, memory, offset);
    auto type = takesWords() ? VectorType::get({block}, b.getI16Type()) : vector;
    Value wide = isSigned ? b.create<arith::ExtSIOp>(type, bytes).getResult()
                          : b.create<arith::ExtUIOp>(type, bytes).getResult();
    if (zeroPoint == 0) {
      return wide;
    }
    auto zero = DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), zeroPoint));
    return b.create<arith::SubIOp>(wide, b.create<arith::ConstantOp>(zero));
  }

  /// Arm's smlal multiplies words and adds the products to i32.
  Value multiplyWords(Value weight, Value input, Value sum) {
    Value x = b.create<arith::ExtSIOp>(vector, input);
    Value w = b.create<arith::ExtSIOp>(vector, weight);
    return b.create<arith::AddIOp>(sum, b.create<arith::MulIOp>(x, w));
  }
  Value multiplyAdd(Value weight, Value input, Value sum) {
    return takesWords()      ? multiplyWords(weight, input, sum)
           : kernel.integers ? dot.addProduct(sum, input, weight)
                             : b.create<math::FmaOp>(weight, input, sum).getResult();
  }

  KernelFunction &function;
  const ConvKernel &kernel;
  const ConvProblem &p;
  DepthwiseAttr config;
  KernelEmitter elements; // loads epilogue operands
  DotForm form;
  DotProduct dot;
  VectorType vector; // type of the sums
  Value x, w;
  int64_t block, blocks, rowChunks;
  WindowAxis window;
  std::vector<TileRun> runs;
};

} // namespace

LogicalResult lowerDepthwise(task::KernelOp kernel, const ConvKernel &matched, DepthwiseAttr config,
                             int64_t vectorBytes, DotForm form) {
  KernelFunction function(kernel);
  function.allowInPlace(addedOperands(matched, function.body()));
  function.finish(DepthwiseEmitter(function, matched, config, vectorBytes, form).emit());
  return success();
}

} // namespace convoy::kernels
