// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that ProductBits.td documents.

#include "Kernels/ProductBits/ProductBits.h"
#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/Core/RegisterTile.h"
#include "Kernels/ProductBits/PackedRows.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// The f32 of a cache line, to which the parts of scratch memory are aligned.
constexpr int64_t kLineElements = 16;
/// The maximum number of rows per step, except for one larger tile. Scratch memory holds their
/// results.
constexpr int64_t kStepRows = 240;
/// Each call copies the rows of its steps. Threads divide the range into about twice as many calls.
constexpr int64_t kCopies = 8;
/// The unrolled elements of the depth of a tile whose weights are f32.
constexpr int64_t kUnroll = 4;
/// Bytes of a word of packed weights.
constexpr int64_t kWordBytes = kWordBits / 8;

class BitsEmitter : LoopNest {
public:
  BitsEmitter(KernelFunction &function, const BitsProduct &product, const BitsPlan &plan,
              const Machine &machine)
      : LoopNest(function.b), function(function), p(product), plan(plan),
        elements(function.b, machine.vectorBytes), weights(function, product, plan),
        results(
            function.scratchFloats(plan.inputElements + plan.sumElements, plan.resultElements)) {
    function.bindOperands(elements);
    if (plan.bytes > 0) {
      rows = std::make_unique<SplitRows>(function, product, plan, machine.dot);
    } else if (plan.isInRegisters) {
      rows = std::make_unique<ScaledRows>(function, product, plan);
    } else {
      converted = function.scratchFloats(0, plan.inputElements);
    }
  }

  void emit() {
    if (plan.isInRegisters) {
      rows->copy();
    }
    loop(function.begin(), function.end(), [&](Value step) {
      Lanes l(b, 1);
      SmallVector<Index> at = l.delinearize(l.uniform(step), {plan.rowSteps, plan.columnSteps});
      rowStep = at[0].base;
      Value low = mul(at[1].base, plan.panelsPerStep);
      loop(low, min(add(low, plan.panelsPerStep), plan.panels), [&](Value panel) {
        plan.isInRegisters ? multiplyWords(panel) : multiplyConverted(panel);
      });
    });
  }

private:
  Value firstRow() { return mul(rowStep, plan.stepRows); }

  /// Calls `body` for the tiles of rows of a step. The rows that do not fill a tile are the last
  /// ones of the last step.
  void forTiles(llvm::function_ref<void(const RowTile &)> body) {
    int64_t perStep = plan.stepRows / plan.tileRows, all = p.rows / plan.tileRows;
    Value count = plan.rowSteps == 1 ? index(all) : min(subProduct(all, rowStep, perStep), perStep);
    loop(index(0), count, [&](Value i) {
      Value inStep = mul(i, plan.tileRows);
      body({add(firstRow(), inStep), inStep, plan.tileRows});
    });
    int64_t rest = p.rows % plan.tileRows;
    if (rest == 0) {
      return;
    }
    int64_t before = p.rows - rest;
    auto last = [&] {
      body({index(before), index(before - (plan.rowSteps - 1) * plan.stepRows), rest});
    };
    plan.rowSteps == 1 ? last() : branch(isEqual(rowStep, plan.rowSteps - 1), last);
  }

  //===-- Conversion in registers
  //--------------------------------------------------------------===//

  void multiplyWords(Value panel) {
    forTiles([&](const RowTile &tile) {
      Values zeros(plan.vectors * tile.height, weights.splat(0.0F));
      Values acc = loop(index(0), index(p.blocks()), zeros, [&](Value block, Values carried) {
        return rows->addBlock(panel, block, tile, std::move(carried));
      });
      forSums(tile, [&](int64_t v, int64_t row, int64_t i) {
        storeLanes(b, acc[i], results, index(row * plan.width + v * plan.lanes));
      });
      loop(tile.height, [&](Value row) { finishRow(panel, add(tile.row, row), row); });
    });
  }

  /// Calls `body` for each accumulator of a tile.
  void forSums(const RowTile &tile, llvm::function_ref<void(int64_t, int64_t, int64_t)> body) {
    for (int64_t v = 0; v < plan.vectors; ++v) {
      for (int64_t row = 0; row < tile.height; ++row) {
        body(v, row, v * tile.height + row);
      }
    }
  }

  //===-- Conversion to scratch memory
  //---------------------------------------------------------===//

  void multiplyConverted(Value panel) {
    loop(index(0), stepRowCount(), [&](Value row) {
      for (int64_t v = 0; v < plan.vectors; ++v) {
        storeLanes(b, weights.splat(0.0F), results, resultOffset(row, v));
      }
    });
    int64_t whole = p.depth / plan.depth;
    loop(index(0), index(whole),
         [&](Value pass) { addPass(panel, mul(pass, plan.depth), plan.depth); });
    if (p.depth % plan.depth != 0) {
      addPass(panel, index(whole * plan.depth), p.depth % plan.depth);
    }
    loop(index(0), stepRowCount(), [&](Value row) { finishRow(panel, add(firstRow(), row), row); });
  }

  Value stepRowCount() {
    return plan.rowSteps == 1 ? index(p.rows)
                              : min(subProduct(p.rows, rowStep, plan.stepRows), plan.stepRows);
  }
  Value resultOffset(Value row, int64_t v) { return add(mul(row, plan.width), v * plan.lanes); }

  /// Adds the products of `depth` elements from `first` on, the start of a block.
  void addPass(Value panel, Value first, int64_t depth) {
    Value firstBlock = b.createOrFold<arith::DivUIOp>(first, index(p.block));
    loop(index(0), index(kernels::ceilDiv(depth, p.block)),
         [&](Value i) { convertBlock(panel, add(firstBlock, i), mul(i, p.block)); });
    forTiles([&](const RowTile &tile) { addTile(tile, first, depth); });
  }

  /// Converts a block of a panel to f32, as dequantize_linear rounds it. `to` is its place in the
  /// scratch memory.
  void convertBlock(Value panel, Value block, Value to) {
    Values scales, zeros;
    for (int64_t v = 0; v < plan.vectors; ++v) {
      scales.push_back(weights.loadScale({panel, block, v}));
      zeros.push_back(weights.loadZeros({panel, block, v}, ElementType::F32));
    }
    loop(index(0), index(p.blockWords()), [&](Value word) {
      Value row = add(to, mul(word, p.perWord()));
      for (int64_t v = 0; v < plan.vectors; ++v) {
        Value words = weights.loadWord({panel, block, v}, word);
        for (int64_t j = 0; j < p.perWord(); ++j) {
          Value weight = weights.weightOf(words, j);
          weight = zeros[v] ? b.create<arith::SubFOp>(weight, zeros[v]).getResult() : weight;
          storeLanes(b, b.create<arith::MulFOp>(weight, scales[v]), converted,
                     resultOffset(add(row, j), v));
        }
      }
    });
  }

  void addTile(const RowTile &tile, Value first, int64_t depth) {
    FloatMultiply multiply(b, {function.operand(p.input), ElementType::F32},
                           {converted, ElementType::F32}, plan.lanes);
    RegisterTile registers(multiply, plan.vectors, tile.height);
    Value left = add(mul(tile.row, p.depth), first);
    Values carried(plan.vectors * tile.height);
    forSums(tile, [&](int64_t v, int64_t row, int64_t i) {
      carried[i] = loadLanes(b, results, resultOffset(add(tile.inStep, row), v), plan.lanes);
    });
    carried = unrolled(depth, kUnroll, carried, [&](Value k, int64_t steps, Values now) {
      auto weightAt = [&](int64_t step, int64_t v) { return resultOffset(add(k, step), v); };
      auto inputAt = [&](int64_t step, int64_t row) {
        return add(add(left, k), row * p.depth + step);
      };
      return registers.accumulate(steps, weightAt, inputAt, std::move(now));
    });
    forSums(tile, [&](int64_t v, int64_t row, int64_t i) {
      storeLanes(b, carried[i], results, resultOffset(add(tile.inStep, row), v));
    });
  }

  //===-- Results
  //------------------------------------------------------------------------------===//

  /// Applies the epilogue to a row of a panel in scratch memory, and stores the columns that the
  /// product has.
  void finishRow(Value panel, Value row, Value inScratch) {
    int64_t rest = p.columns % plan.width;
    auto whole = [&] { finishColumns(panel, row, inScratch, plan.width); };
    auto partial = [&] { finishColumns(panel, row, inScratch, rest); };
    if (rest == 0) {
      whole();
    } else if (plan.panels == 1) {
      partial();
    } else {
      branch(isEqual(panel, plan.panels - 1), partial, whole);
    }
  }

  void finishColumns(Value panel, Value row, Value inScratch, int64_t columns) {
    for (int64_t first = 0; first < columns;) {
      int64_t width = widthFor(columns - first, plan.lanes);
      finishPart(row, add(mul(panel, plan.width), first),
                 loadLanes(b, results, add(mul(inScratch, plan.width), first), width), width);
      first += width;
    }
  }

  void finishPart(Value row, Value column, Value sum, int64_t width) {
    Lanes scalar(b, 1), along(b, width);
    elements.width = width;
    int64_t step = width == 1 ? 0 : 1;
    SmallVector<Index> at = {scalar.uniform(row), Index{column, step, {}}};
    elements.provide(p.op.getResult(), at, sum);
    Value result = function.body().getTerminator()->getOperand(0);
    Value element = along.splat(elements.element(result, at));
    store(along, {function.result(0), elements.type(result)},
          Index{add(mul(row, p.columns), column), step, {}}, element);
    elements.width = 1;
  }

  KernelFunction &function;
  const BitsProduct &p;
  const BitsPlan &plan;
  KernelEmitter elements; // computes the epilogue
  PackedWeights weights;
  std::unique_ptr<PackedRows> rows; // if the weights are converted in registers
  Value converted;                  // panel, otherwise
  Value results;
  Value rowStep;
};

} // namespace

BitsPlan::BitsPlan(const BitsProduct &p, ProductBitsAttr config, const Machine &machine)
    : lanes(config.getLanes()), vectors(config.getVectors()), width(lanes * vectors),
      tileRows(std::min(config.getRows(), p.rows)), isInRegisters(config.getDepth() == 0),
      bytes(config.getBytes()), depth(std::min(config.getDepth(), p.blocks() * p.block)),
      panels(ceilDiv(p.columns, width)), panelsPerStep(std::min(config.getPanels(), panels)),
      columnSteps(ceilDiv(panels, panelsPerStep)) {
  int64_t most = std::max(kStepRows / tileRows, int64_t(1)) * tileRows;
  stepRows = isInRegisters || p.rows <= most ? p.rows : most;
  rowSteps = ceilDiv(p.rows, stepRows);
  auto whole = [](int64_t elements) { return ceilDiv(elements, kLineElements) * kLineElements; };
  int64_t copied = p.rows * p.blocks() * p.block;
  inputElements = !isInRegisters ? depth * width : whole(bytes > 0 ? copied * bytes / 4 : copied);
  sumElements = isInRegisters ? whole(p.rows * p.blocks() * (bytes + 1)) : 0;
  resultElements = (isInRegisters ? tileRows : stepRows) * width;
  // Smaller weights stay in the second-level cache between inferences.
  int64_t weightBytes = panels * width * p.blocks() * p.blockWords() * kWordBytes;
  fetchesWords = isInRegisters && weightBytes > machine.secondCacheBytes;
}

LogicalResult lowerProductBits(task::KernelOp kernel, const BitsProduct &product,
                               ProductBitsAttr config, const Machine &machine) {
  BitsPlan plan(product, config, machine);
  KernelFunction function(kernel, plan.scratchElements() * 4);
  BitsEmitter(function, product, plan, machine).emit();
  int64_t range = plan.rowSteps * plan.columnSteps;
  function.finish(range, plan.isInRegisters ? std::max(range / kCopies, int64_t(1)) : 1);
  return success();
}

} // namespace convoy::kernels
