// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Product.td documents. RegisterTile emits the multiply-adds and
// PackPanels the copies; this file emits the loops around them, the partial sums and the epilogue.

#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/RegisterTile.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Product/ProductPlan.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// The maximum number of epilogue ops that are unrolled for each accumulator. A longer epilogue
/// would be too much code; the sums are stored to scratch memory, and a loop applies it to them.
constexpr int64_t kUnrolledEpilogueOps = 4;

/// The matrices and the panel that a tile belongs to.
struct Panel {
  SmallVector<Index> batch;
  Value left, right; // offsets of the first element of the factors
  Value low;         // first panel of the step
  Value column;      // first column of the panel
  Value packed;      // offset of the panel in scratch memory
  const PanelVectors *vectors;
  Value pass;
};

class ProductEmitter : private LoopNest {
public:
  ProductEmitter(KernelFunction &function, const ProductKernel &product, const ProductPlan &plan,
                 int64_t unroll, int64_t vectorBytes)
      : LoopNest(function.b), function(function), p(product), plan(plan), unroll(unroll),
        elements(function.b, vectorBytes), yielded(function.body().getTerminator()->getOperand(0)) {
    function.bindOperands(elements);
    if (plan.isPacked) {
      packed = function.scratchFloats(0, panelElements(plan));
    }
    if (isEpilogueLong(product)) {
      sumsMemory =
          function.scratchFloats(plan.isPacked ? panelElements(plan) : 0, tileElements(plan));
    }
  }

  /// Returns the elements of scratch memory.
  static int64_t scratchElements(const ProductKernel &product, const ProductPlan &plan) {
    return (plan.isPacked ? panelElements(plan) : 0) +
           (isEpilogueLong(product) ? tileElements(plan) : 0);
  }

  void emit() {
    Value low = function.begin(), high = function.end();
    if (plan.tiles > 1) {
      int64_t groups = p.batches() * plan.columnSteps;
      low = b.createOrFold<arith::DivUIOp>(low, index(plan.tiles));
      // The minimum tells the time estimate (Bands/KernelTime.cpp) the trip count.
      high =
          min(b.createOrFold<arith::DivUIOp>(add(high, plan.tiles - 1), index(plan.tiles)), groups);
    }
    loop(low, high, [&](Value group) { emitGroup(group); });
  }

private:
  using Sums = Values;

  static int64_t panelWidth(const ProductPlan &plan) {
    return std::max(plan.fullPanels > 0 ? plan.full.width : 0, plan.rest.width);
  }
  static int64_t panelElements(const ProductPlan &plan) {
    return plan.panelsPerStep * plan.depth * panelWidth(plan);
  }
  static int64_t tileElements(const ProductPlan &plan) { return plan.rows * panelWidth(plan); }
  static bool isEpilogueLong(const ProductKernel &product) {
    return product.epilogueOps > kUnrolledEpilogueOps;
  }

  /// Emits the steps of one matrix and one group of panels that are in the range.
  void emitGroup(Value group) {
    Lanes l(b, 1);
    SmallVector<int64_t> box(p.batch);
    box.push_back(plan.columnSteps);
    SmallVector<Index> at = l.delinearize(l.uniform(group), box);
    Panel panel;
    panel.batch.assign(at.begin(), std::prev(at.end()));
    panel.left = panel.right = index(0);
    for (auto [i, leftStride, rightStride] :
         llvm::zip_equal(panel.batch, p.leftBatch, p.rightBatch)) {
      panel.left = leftStride == 0 ? panel.left : add(panel.left, mul(i.base, leftStride));
      panel.right = rightStride == 0 ? panel.right : add(panel.right, mul(i.base, rightStride));
    }
    Value rowLow = index(0), rowHigh = index(plan.tiles);
    if (plan.tiles > 1) {
      Value first = mul(group, plan.tiles);
      rowLow = max(sub(function.begin(), first), 0);
      rowHigh = min(sub(function.end(), first), plan.tiles);
    }
    panel.low = mul(at.back().base, plan.panelsPerStep);
    loop(plan.passes, [&](Value pass) {
      panel.pass = pass;
      if (plan.isPacked) {
        packPanels(panel);
      }
      emitTiles(panel, plan.rows, rowLow, min(rowHigh, plan.largeTiles), 0);
      if (plan.largeTiles < plan.tiles) {
        emitTiles(panel, plan.rows - 1, max(rowLow, plan.largeTiles), rowHigh, plan.largeTiles);
      }
    });
  }

  /// Calls `body` for the panels of a step. Panels with different vectors have separate code.
  void forPanels(Panel panel, llvm::function_ref<void(const Panel &)> body) {
    Value high = min(add(panel.low, plan.panelsPerStep), plan.panels);
    auto emit = [&](const PanelVectors &vectors, Value low, Value high) {
      panel.vectors = &vectors;
      loop(low, high, [&](Value i) {
        panel.column = mul(i, plan.panelColumns);
        panel.packed = mul(sub(i, panel.low), plan.depth * panelWidth(plan));
        body(panel);
      });
    };
    if (plan.fullPanels > 0) {
      emit(plan.full, panel.low, min(high, plan.fullPanels));
    }
    if (!plan.rest.columns.empty()) {
      emit(plan.rest, max(panel.low, plan.fullPanels), high);
    }
  }

  void packPanels(const Panel &all) {
    forPanels(all, [&](const Panel &panel) {
      Value offset = add(panel.right, mul(panel.pass, plan.depth * p.rightDepth));
      PackedMatrix matrix{operandBuffer(p.right), offset, plan.depth, p.rightDepth, p.rightColumn};
      packPanel(b, matrix, panel.column, *panel.vectors, packed, panel.packed);
    });
  }

  /// Emits tiles of `rows` rows. The tiles in front of them have one row more; there are `before`
  /// of them. The panels are the inner loop, so that a tile writes whole rows of the result.
  void emitTiles(const Panel &all, int64_t rows, Value low, Value high, int64_t before) {
    auto emit = [&](Value row) {
      forPanels(all, [&](const Panel &panel) { emitTile(panel, rows, row); });
    };
    if (plan.tiles == 1) {
      emit(index(0));
      return;
    }
    loop(low, high, [&](Value tile) { emit(add(mul(tile, rows), before)); });
  }

  void emitTile(const Panel &panel, int64_t rows, Value row) {
    const PanelVectors &vectors = *panel.vectors;
    Value first = mul(panel.pass, plan.depth);
    Value left = add(add(panel.left, mul(row, p.leftRow)), mul(first, p.leftDepth));
    Value right = panel.packed;
    int64_t rightDepth = vectors.width;
    if (!plan.isPacked) {
      right = add(add(panel.right, panel.column), mul(first, p.rightDepth));
      rightDepth = p.rightDepth;
    }
    FloatMultiply multiply(
        b, operandBuffer(p.left),
        plan.isPacked ? Buffer{packed, ElementType::F32} : operandBuffer(p.right), vectors.lanes);
    ArrayRef<int64_t> columns = plan.isPacked ? vectors.offsets : vectors.columns;
    RegisterTile tile(multiply, vectors.count(), rows);
    Sums sums = start(panel, multiply, rows, row);
    sums = unrolled(plan.depth, unroll, sums, [&](Value k, int64_t steps, Sums carried) {
      Value leftFirst = add(left, mul(k, p.leftDepth));
      Value rightFirst = add(right, mul(k, rightDepth));
      auto weights = [&](int64_t step, int64_t v) {
        return add(rightFirst, step * rightDepth + columns[v]);
      };
      auto inputs = [&](int64_t step, int64_t r) {
        return add(leftFirst, r * p.leftRow + step * p.leftDepth);
      };
      return tile.accumulate(steps, weights, inputs, std::move(carried));
    });
    finish(panel, rows, row, sums);
  }

  /// Returns zeros in the first pass, otherwise the partial sums that the previous pass stored in
  /// the result.
  Sums start(const Panel &panel, Multiply &multiply, int64_t rows, Value row) {
    Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(multiply.type));
    Sums zeros(rows * panel.vectors->count(), zero);
    if (plan.passes == 1) {
      return zeros;
    }
    auto loadSums = [&] {
      Sums loaded(zeros.size());
      Lanes l(b, panel.vectors->lanes);
      forSums(panel, rows, row, [&](Value ownRow, Value column, size_t i) {
        Index offset = resultOffset(panel, ownRow, column);
        loaded[i] = load(l, {function.result(0), ElementType::F32}, offset);
      });
      return loaded;
    };
    return branch(
        isEqual(panel.pass, 0), [&] { return zeros; }, loadSums, ValueRange(zeros).getTypes());
  }

  /// Calls `body` with the row, the column and the number of each sum of a tile.
  void forSums(const Panel &panel, int64_t rows, Value row,
               llvm::function_ref<void(Value, Value, size_t)> body) {
    for (int64_t r = 0; r < rows; ++r) {
      for (auto [v, column] : llvm::enumerate(panel.vectors->columns)) {
        body(add(row, r), add(panel.column, column), v * rows + r);
      }
    }
  }

  void finish(const Panel &panel, int64_t rows, Value row, const Sums &sums) {
    if (plan.passes == 1) {
      storeFinal(panel, rows, row, sums);
      return;
    }
    auto storeSums = [&] {
      Lanes l(b, panel.vectors->lanes);
      forSums(panel, rows, row, [&](Value ownRow, Value column, size_t i) {
        Index offset = resultOffset(panel, ownRow, column);
        store(l, {function.result(0), ElementType::F32}, offset, sums[i]);
      });
    };
    branch(
        isEqual(panel.pass, plan.passes - 1), [&] { storeFinal(panel, rows, row, sums); },
        storeSums);
  }

  void storeFinal(const Panel &panel, int64_t rows, Value row, const Sums &sums) {
    if (sumsMemory) {
      storeLong(panel, rows, row, sums);
      return;
    }
    forSums(panel, rows, row, [&](Value ownRow, Value column, size_t i) {
      storeElement(panel, ownRow, column, sums[i]);
    });
  }

  void storeLong(const Panel &panel, int64_t rows, Value row, const Sums &sums) {
    const PanelVectors &vectors = *panel.vectors;
    Lanes l(b, vectors.lanes);
    Buffer memory{sumsMemory, ElementType::F32};
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value offset = index(static_cast<int64_t>(i) * vectors.lanes);
      store(l, memory, Index{offset, 1, {}}, sum);
    }
    loop(rows, [&](Value r) {
      loop(vectors.count(), [&](Value v) {
        Value first = min(mul(v, vectors.lanes), vectors.columns.back());
        Value offset = mul(add(mul(v, rows), r), vectors.lanes);
        storeElement(panel, add(row, r), add(panel.column, first),
                     load(l, memory, Index{offset, 1, {}}));
      });
    });
  }

  /// Applies the epilogue to one vector of sums and stores it.
  void storeElement(const Panel &panel, Value row, Value column, Value sum) {
    elements.width = panel.vectors->lanes;
    Lanes l = elements.lanes();
    Value product = p.op.getResult();
    elements.provide(product, resultAt(panel, row, column, /*isFinal=*/false),
                     roundTo(l, elements.type(product), sum));
    SmallVector<Index> at = resultAt(panel, row, column, /*isFinal=*/true);
    Value element = l.splat(elements.element(yielded, at));
    store(l, {function.result(0), elements.type(yielded)}, elements.offset(yielded, at), element);
    elements.width = 1;
  }

  /// Returns the coordinates of a vector in the result of the product, or of the kernel.
  SmallVector<Index> resultAt(const Panel &panel, Value row, Value column, bool isFinal) {
    SmallVector<Index> at(panel.batch);
    at.resize(p.order.size());
    if (p.rowDim >= 0) {
      at[p.rowDim] = Index{row, 0, {}};
    }
    if (p.columnDim >= 0) {
      at[p.columnDim] = Index{column, 1, {}};
    }
    if (!isFinal) {
      return at;
    }
    SmallVector<Index> permuted;
    for (int64_t dim : p.order) {
      permuted.push_back(at[dim]);
    }
    return permuted;
  }

  Index resultOffset(const Panel &panel, Value row, Value column) {
    elements.width = panel.vectors->lanes;
    Index offset = elements.offset(yielded, resultAt(panel, row, column, /*isFinal=*/true));
    elements.width = 1;
    return offset;
  }

  Buffer operandBuffer(unsigned i) {
    return {function.operand(i), elements.type(function.body().getArgument(i))};
  }

  KernelFunction &function;
  const ProductKernel &p;
  const ProductPlan &plan;
  int64_t unroll;
  KernelEmitter elements; // computes the epilogue
  Value yielded;
  Value packed, sumsMemory;
};

} // namespace

LogicalResult lowerProduct(task::KernelOp kernel, const ProductKernel &product, ProductAttr config,
                           const Machine &machine) {
  ProductPlan plan(product, config, std::max<int64_t>(machine.lanes(), 1));
  KernelFunction function(kernel, ProductEmitter::scratchElements(product, plan) * 4);
  ProductEmitter(function, product, plan, config.getUnroll(), machine.vectorBytes).emit();
  function.finish(plan.range(product), plan.isPacked ? plan.tiles : 1);
  return success();
}

} // namespace convoy::kernels
