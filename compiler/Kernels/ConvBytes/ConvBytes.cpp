// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loops around the byte ops that ConvBytes.td documents. Rank-4 tensors are reached only
// through views of rows, so that memory planning may keep a part of their rows.

#include "Kernels/ConvBytes/ConvBytes.h"
#include "Graph/Constant.h"
#include "Kernels/ByteTemplate.h"
#include "Kernels/ConvBytes/ByteGroups.h"
#include "Kernels/Core/Edges.h"
#include "Kernels/KernelFunction.h"
#include "Task/Task.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class ConvBytesEmitter : LoopNest {
public:
  ConvBytesEmitter(KernelFunction &function, const BytesConv &kernel, ConvBytesAttr config)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.conv.problem),
        pixels(config.getPixels()), depth(kernel.depth()), zero(index(0)) {}

  /// Emits the loop over the rows of the result and returns their number.
  int64_t emit() {
    multiplier = tableOf(kernel.requantize.getMultiplier(), 0);
    shift = tableOf(kernel.requantize.getShift(), kByteShiftMinuend);
    loop(function.begin(), function.end(), [&](Value row) { emitRow(row); });
    return p.isMatrix ? p.outputColumns : resultRows();
  }

private:
  /// Bytes of memory from an offset on.
  struct Place {
    Value memory, at;
  };

  Place rowOf(Value memory, Value row, int64_t rows) {
    return {b.create<task::RowViewOp>(memory, row, rows), zero};
  }

  ArrayRef<int64_t> resultShape() {
    Value result = kernel.pool ? kernel.pool.getResult() : kernel.requantize.getResult();
    return cast<RankedTensorType>(result.getType()).getShape();
  }
  int64_t resultRows() { return resultShape()[2]; }

  void emitRow(Value row) {
    Value x = function.operand(kernel.conv.input), y = function.result(0);
    if (p.isMatrix) {
      emitProduct<ByteProductOp>({x, mul(row, depth)}, {y, mul(row, p.outputChannels)}, index(1),
                                 depth, p.outputChannels);
      return;
    }
    Place result = rowOf(y, row, resultRows());
    if (kernel.pool) {
      loop(zero, index(resultShape()[3]), [&](Value column) { emitWindow(row, result, column); });
    } else if (pixels == 0) {
      emitProduct<ByteProductOp>(rowOf(x, mul(row, p.strideRows), p.inputRows), result,
                                 index(p.outputColumns), p.strideColumns * p.inputChannels,
                                 p.outputChannels);
    } else {
      loop(zero, index(p.outputColumns), pixels,
           [&](Value first) { emitPixels(row, result, first); });
    }
    if (kernel.sum) {
      emitSum(row, result);
    }
  }

  /// Copies the taps of a window of the pool and multiplies them.
  void emitWindow(Value row, const Place &result, Value column) {
    int64_t columns = kernel.pool.getKernel()[1];
    Value firstRow = mul(row, kernel.pool.getStrides()[0]);
    Value firstColumn = mul(column, kernel.pool.getStrides()[1]);
    loop(zero, index(kernel.pool.getKernel()[0]), [&](Value windowRow) {
      Value own = add(firstRow, windowRow);
      Value patch = mul(windowRow, columns * depth);
      loop(zero, index(p.kernelRows),
           [&](Value tapRow) { emitTaps(own, tapRow, firstColumn, index(columns), patch); });
    });
    emitProduct<ByteProductMaxOp>({function.scratch(), zero},
                                  {result.memory, mul(column, p.outputChannels)}, index(pixels),
                                  depth);
  }

  /// Copies the taps of some pixels and multiplies them.
  void emitPixels(Value row, const Place &result, Value first) {
    Value count = index(pixels);
    if (p.outputColumns % pixels != 0) {
      Value rest = b.create<arith::SubIOp>(index(p.outputColumns), first);
      count = min(rest, pixels);
    }
    loop(zero, index(p.kernelRows),
         [&](Value tapRow) { emitTaps(row, tapRow, first, count, zero); });
    emitProduct<ByteProductOp>({function.scratch(), zero},
                               {result.memory, mul(first, p.outputChannels)}, count, depth,
                               p.outputChannels);
  }

  /// Adds a row of the other operand to the row of rescaled sums.
  void emitSum(Value row, const Place &result) {
    Place added = rowOf(function.operand(kernel.added()), row, p.outputRows);
    emitByteAdd(b, kernel.sum, result.memory, added.memory, result.memory,
                p.outputColumns * p.outputChannels, kernel.added() == kernel.sum.getLhs());
  }

  /// Copies one row of taps to the patches, or the zero point if the row is outside the input.
  void emitTaps(Value row, Value tapRow, Value first, Value count, Value patch) {
    int64_t rowBytes = p.kernelColumns * p.inputChannels;
    int64_t zeroPoint = kernel.conv.integers->inputZeroPoint;
    Value at = add(patch, mul(tapRow, rowBytes));
    Value from = add(add(mul(row, p.strideRows), mul(tapRow, p.dilationRows)), -p.padTop);
    auto copy = [&] {
      Place input = rowOf(function.operand(kernel.conv.input), from, p.inputRows);
      b.create<BytePatchOp>(input.memory, input.at, function.scratch(), at, first, count,
                            p.inputColumns, p.inputChannels, p.kernelColumns, p.strideColumns,
                            p.dilationColumns, p.padLeft, depth, zeroPoint);
    };
    auto pad = [&] {
      loop(zero, count, [&](Value pixel) {
        Value place = add(at, mul(pixel, depth));
        b.create<ByteFillOp>(function.scratch(), place, index(rowBytes), zeroPoint);
      });
    };
    branchOnRow(*this, p, from, copy, pad);
  }

  /// Emits a product with the steps of its pixels.
  template <typename OpT, typename... NumbersT>
  void emitProduct(const Place &input, const Place &result, Value count, NumbersT... steps) {
    graph::RequantizeOp requantize = kernel.requantize;
    bool isPerTensor =
        cast<RankedTensorType>(requantize.getMultiplier().getType()).getNumElements() == 1;
    ByteGroups groups(WeightDims({p.outputChannels, depth}, /*transposed=*/false),
                      kernel.conv.integers->inputZeroPoint);
    b.create<OpT>(
        input.memory, input.at, function.operand(kernel.conv.weight), zero,
        function.operand(kernel.conv.bias()), zero, multiplier, zero, shift, zero, result.memory,
        result.at, count, depth, p.outputChannels, steps..., groups.first,
        isPerTensor ? 0 : ByteGroups::kChannels, static_cast<int64_t>(requantize.getZeroPoint()),
        static_cast<int64_t>(requantize.getLow()), static_cast<int64_t>(requantize.getHigh()),
        static_cast<int64_t>(requantize.getRounding()));
  }

  /// Returns the memory of a table. A constant in the kernel is a table of equal entries on the
  /// stack, as RescaleTableAttr stores it.
  Value tableOf(Value value, int64_t minuend) {
    if (isa<BlockArgument>(value)) {
      return function.operand(value);
    }
    int64_t entry = graph::constantValue(value)->asInt(0);
    auto type = MemRefType::get({ByteGroups::kChannels}, b.getI32Type());
    Value table = b.create<memref::AllocaOp>(type);
    Value stored = b.create<arith::ConstantIntOp>(minuend == 0 ? entry : minuend - entry, 32);
    for (int64_t i = 0; i < ByteGroups::kChannels; ++i) {
      b.create<memref::StoreOp>(stored, table, ValueRange{index(i)});
    }
    return table;
  }

  KernelFunction &function;
  BytesConv kernel;
  const ConvProblem &p;
  int64_t pixels; // per group of patches
  int64_t depth;
  Value zero;
  Value multiplier, shift; // tables
};

} // namespace

LogicalResult lowerConvBytes(task::KernelOp kernel, const BytesConv &matched,
                             ConvBytesAttr config) {
  KernelFunction function(kernel, config.getPixels() * matched.depth());
  function.finishRows(ConvBytesEmitter(function, matched, config).emit());
  return success();
}

} // namespace convoy::kernels
