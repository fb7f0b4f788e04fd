// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that ProductBytes.td documents. The code multiplies bytes as they are stored,
// writes the sums of a tile to scratch memory and then corrects and finishes them row by row.

#include "Kernels/ProductBytes/ProductBytes.h"
#include "Graph/OpFacts.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/DotMultiply.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/Core/RegisterTile.h"
#include "Kernels/Core/TileRegisters.h"
#include "Kernels/ProductBytes/RowsPlan.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Consecutive panels that share the rows of a tile.
struct Panels {
  Value first; // the number of the first panel
  int64_t count;
  bool isLast; // the last panel may have fewer columns than a block
};

/// The rows of the result that a task computes.
struct TaskRows {
  Value first, last;
};

/// `width` adjacent sums of a row of a tile.
struct Part {
  Value row;       // in the result
  Value copiedRow; // in the copy of the task's rows
  Value tileRow;   // in the tile
  int64_t vector, lane, width;
};

class ProductBytesEmitter : LoopNest {
public:
  ProductBytesEmitter(KernelFunction &function, const BytesProduct &product,
                      ProductBytesAttr config, const RowsPlan &plan, const Machine &machine)
      : LoopNest(function.b), function(function), p(product), config(config), plan(plan),
        elements(function.b, machine.vectorBytes), form(machine.dot),
        dot(function.b, form, config.getBlock()),
        registers(function, config.getTiles(), config.getVectors()),
        w(function.operand(product.rhs)), block(config.getBlock()), height(config.getHeight()),
        vectors(config.getVectors()), tiles(config.getTiles()),
        blocks(kernels::ceilDiv(p.columns, block)),
        chunks(kernels::ceilDiv(blocks, config.getPanels())) {
    function.bindOperands(elements);
  }

  int64_t emit() {
    if (tiles > 0) {
      registers.configure();
    }
    loadScalars();
    loop(function.begin(), function.end(), [&](Value task) { emitTask(task); });
    if (tiles > 0) {
      registers.release();
    }
    return kernels::ceilDiv(p.rows, plan.rows) * chunks;
  }

  int64_t jointSteps() const { return chunks; }

private:
  using Vectors = SmallVector<Value>;

  /// Loads operands of one element before the loops. The emitter keeps the values, so no row loads
  /// them again.
  void loadScalars() {
    elements.width = block;
    Lanes l = elements.lanes();
    for (BlockArgument argument : function.body().getArguments()) {
      auto type = cast<RankedTensorType>(argument.getType());
      if (type.getNumElements() == 1 && !graph::layoutOf(type)) {
        elements.element(argument, SmallVector<Index>(type.getRank(), l.constant(0)));
      }
    }
    elements.width = 1;
  }

  void emitTask(Value task) {
    Lanes l(b, 1);
    SmallVector<Index> at =
        l.delinearize(l.uniform(task), {kernels::ceilDiv(p.rows, plan.rows), chunks});
    TaskRows rows;
    rows.first = mul(at[0].base, plan.rows);
    rows.last = min(add(rows.first, plan.rows), p.rows);
    copyRows(task, at[1].base, rows);
    // All groups of panels have the same size except the last one, which ends with the last column.
    int64_t groups = p.columns / block / vectors;
    int64_t groupsPerTask = config.getPanels() / vectors;
    int64_t rest = blocks - groups * vectors;
    Value low = mul(at[1].base, groupsPerTask);
    loop(low, min(add(low, groupsPerTask), groups),
         [&](Value group) { emitPanels({mul(group, vectors), vectors, /*isLast=*/false}, rows); });
    if (rest > 0) {
      branch(isEqual(at[1].base, index(chunks - 1)),
             [&] { emitPanels({index(groups * vectors), rest, /*isLast=*/true}, rows); });
    }
  }

  /// Copies the rows of a task. Chunks of the same rows are consecutive tasks and share the copy.
  void copyRows(Value task, Value chunk, const TaskRows &rows) {
    auto copy = [&] { kernels::copyRows(function, p, plan, dot, rows.first, rows.last); };
    if (chunks == 1) {
      return copy();
    }
    branch(b.create<arith::OrIOp>(isEqual(chunk, index(0)), isEqual(task, function.begin())), copy);
  }

  void emitPanels(const Panels &panels, const TaskRows &rows) {
    Value count = sub(rows.last, rows.first);
    loop(index(0), ceilDiv(count, height), [&](Value tile) {
      Value row = mul(tile, height);
      tiles > 0 ? multiplyTiles(panels, row) : multiplyVectors(panels, row);
      finishTile(panels, rows, row);
    });
  }

  /// Computes the sums of a tile with tile registers and stores them.
  void multiplyTiles(const Panels &panels, Value row) {
    Value scratch = registers.addressOf(function.scratch());
    Value input = add(scratch, add(mul(row, plan.rowStride()), plan.inputAt));
    Value weights = add(registers.addressOf(w), add(panelOf(panels, 0), block * kSumBytes));
    registers.zeroSums(panels.count);
    loop(index(0), index(plan.chunks), [&](Value chunk) {
      registers.multiply(add(input, mul(chunk, plan.chunkStride())),
                         add(weights, mul(chunk, kTileBytes)), panelBytes(), panels.count);
    });
    registers.storeSums(add(scratch, plan.sumsAt), panels.count);
  }

  /// Computes the sums of a tile with vectors and stores them.
  void multiplyVectors(const Panels &panels, Value row) {
    // The copied rows have the sign that the form multiplies.
    DotMultiply multiply(b, function.scratch(), w, block, form, {dot.takesSigned()});
    RegisterTile tile(multiply, panels.count, height);
    Vectors zeros(panels.count * height, dot.splat(0));
    Vectors sums = loop(kernels::ceilDiv(p.depth, 4), zeros, [&](Value step, Vectors carried) {
      auto weights = [&](int64_t, int64_t v) {
        return add(panelOf(panels, v), add(mul(step, block * 4), block * kSumBytes));
      };
      auto rows = [&](int64_t, int64_t r) {
        Value first = add(mul(row, plan.rowStride()), mul(step, 4));
        return add(first, plan.inputAt + r * plan.rowStride());
      };
      return tile.accumulate(1, weights, rows, std::move(carried));
    });
    for (int64_t i = 0; i < panels.count * height; ++i) {
      storeInts(b, sums[i], function.scratch(), index(plan.sumsAt + i * block * kSumBytes));
    }
  }

  /// Finishes the rows of a tile; rows after the last one are not stored.
  void finishTile(const Panels &panels, const TaskRows &rows, Value row) {
    Value left = sub(rows.last, add(rows.first, row));
    loop(index(0), min(left, height), [&](Value tileRow) {
      Value copiedRow = add(row, tileRow);
      Value resultRow = add(rows.first, copiedRow);
      for (int64_t v = 0; v < panels.count; ++v) {
        bool isPartial = panels.isLast && v == panels.count - 1 && p.columns % block != 0;
        int64_t columns = isPartial ? p.columns % block : block;
        int64_t lane = 0;
        for (int64_t width = block; width > 0; width /= 2) {
          if ((columns & width) != 0) {
            finishPart(panels, {resultRow, copiedRow, tileRow, v, lane, width});
            lane += width;
          }
        }
      }
    });
  }

  /// Corrects the sums, applies the epilogue ops and stores the results.
  void finishPart(const Panels &panels, const Part &part) {
    Lanes scalar(b, 1);
    elements.width = part.width;
    int64_t step = part.width == 1 ? 0 : 1;
    int64_t laneBytes = part.lane * kSumBytes;
    Value column = add(mul(add(panels.first, part.vector), block), part.lane);
    SmallVector<Index> at = {scalar.uniform(part.row), Index{column, step, {}}};
    Value sum =
        loadSums(function.scratch(), add(sumsOf(part.vector, part.tileRow), laneBytes), part.width);
    Value columnSums = loadSums(w, add(panelOf(panels, part.vector), laneBytes), part.width);
    elements.provide(p.op.getResult(), at, corrected(part, sum, columnSums, at));
    Value result = function.body().getTerminator()->getOperand(0);
    Lanes along(b, part.width);
    Value element = along.splat(elements.element(result, at));
    kernels::store(along, {function.result(0), elements.type(result)},
                   {add(mul(part.row, p.columns), column), step, {}}, element);
    elements.width = 1;
  }

  /// Returns sum - zx columnSum - zw (rowSum - K zx). All terms wrap in i32.
  Value corrected(const Part &part, Value sum, Value columnSums, ArrayRef<Index> at) {
    Lanes l = elements.lanes();
    Value zx = zeroPoint(p.op.getLhsZeroPoint(), at, p.isLhsSigned != dot.takesSigned(),
                         dot.takesSigned() ? -128 : 128);
    Value zw = zeroPoint(p.op.getRhsZeroPoint(), at, !p.isRhsSigned, -128);
    Value rowSum =
        loadSums(function.scratch(), add(mul(part.copiedRow, kSumBytes), plan.rowSumsAt), 1);
    Value depth = l.intOf(b.getI32Type(), p.depth);
    Value rowTerm = l.op<arith::SubIOp>(rowSum, l.op<arith::MulIOp>(zx, depth));
    sum = l.op<arith::SubIOp>(sum, l.op<arith::MulIOp>(zx, columnSums));
    return l.splat(l.op<arith::SubIOp>(sum, l.op<arith::MulIOp>(zw, rowTerm)));
  }

  /// Returns a zero point in i32, shifted like the bytes that the products use.
  Value zeroPoint(Value operand, ArrayRef<Index> at, bool isBiased, int64_t bias) {
    Lanes l = elements.lanes();
    Value zero =
        convert(l, elements.broadcast(operand, at), elements.type(operand), ElementType::I32);
    return isBiased ? l.op<arith::AddIOp>(zero, l.intOf(b.getI32Type(), bias)) : zero;
  }

  Value isEqual(Value lhs, Value rhs) {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs, rhs);
  }
  /// Loads `count` i32 from bytes in memory, as a scalar if `count` is 1.
  Value loadSums(Value memory, Value offset, int64_t count) {
    Value lanes = loadInts(b, memory, offset, count);
    return count == 1 ? b.create<vector::ExtractOp>(lanes, 0).getResult() : lanes;
  }
  int64_t panelBytes() const {
    return block * kSumBytes + kernels::ceilDiv(p.depth, 4) * 4 * block;
  }
  Value panelOf(const Panels &panels, int64_t vector) {
    return mul(add(panels.first, vector), panelBytes());
  }
  /// Returns the offset of the sums of a row of the tile.
  Value sumsOf(int64_t vector, Value place) {
    return add(mul(add(place, vector * height), block * kSumBytes), plan.sumsAt);
  }

  KernelFunction &function;
  const BytesProduct &p;
  ProductBytesAttr config;
  const RowsPlan &plan;
  KernelEmitter elements; // loads epilogue operands
  DotForm form;
  DotProduct dot;
  TileRegisters registers;
  Value w;
  int64_t block, height, vectors, tiles, blocks, chunks;
};

} // namespace

LogicalResult lowerProductBytes(task::KernelOp kernel, const BytesProduct &product,
                                ProductBytesAttr config, const Machine &machine) {
  RowsPlan plan(product, config);
  KernelFunction function(kernel, plan.bytes);
  ProductBytesEmitter emitter(function, product, config, plan, machine);
  int64_t range = emitter.emit();
  function.finish(range, emitter.jointSteps());
  return success();
}

} // namespace convoy::kernels
