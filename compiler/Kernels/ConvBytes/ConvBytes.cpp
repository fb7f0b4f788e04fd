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
  ConvBytesEmitter(KernelFunction &function, const BytesConv &kernel, ConvBytesAttr config,
                   int64_t patchNumbers)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.conv.problem),
        pixels(config.getPixels()), tile(config.getTile()), width(config.getWidth()),
        depth(kernel.depth()), patchNumbers(patchNumbers), patchStep(patchNumbers * width),
        zero(index(0)) {}

  /// Emits the loop over the rows of the result and returns their number.
  int64_t emit() {
    multiplier = emitTable(function, kernel.requantize.getMultiplier(), ByteGroups::kChannels, 0);
    shift =
        emitTable(function, kernel.requantize.getShift(), ByteGroups::kChannels, kByteShiftMinuend);
    zeros = emitZeroPoints(function, kernel.conv, ByteGroups::kChannels,
                           kernel.conv.integers->weightZeroPoint != 0);
    fillLastPadding();
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
      Place from{x, mul(row, depth)}, to{y, mul(row, p.outputChannels)};
      if (pixels == 0) {
        emitPixelProduct(from, to, index(1), depth, depth, /*isPatch=*/false);
      } else {
        extend(from, index(1), depth);
        emitPatchProduct(to, index(1));
      }
      return;
    }
    Place result = rowOf(y, row, resultRows());
    if (kernel.pool) {
      loop(zero, index(resultShape()[3]), [&](Value column) { emitWindow(row, result, column); });
    } else if (pixels == 0) {
      emitPixelProduct(rowOf(x, mul(row, p.strideRows), p.inputRows), result,
                       index(p.outputColumns), depth, p.strideColumns * p.inputChannels,
                       /*isPatch=*/false);
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
      Value patch = mul(windowRow, columns * patchStep);
      loop(zero, index(p.kernelRows),
           [&](Value tapRow) { emitTaps(own, tapRow, firstColumn, index(columns), patch); });
    });
    Numbers n = numbers();
    b.create<ByteProductMaxOp>(function.scratch(), zero, function.operand(kernel.conv.weight), zero,
                               function.operand(kernel.conv.bias()), zero, multiplier, zero, shift,
                               zero, zeros, zero, result.memory, mul(column, p.outputChannels),
                               index(pixels), depth, patchNumbers, p.outputChannels, patchStep,
                               n.first, n.tableStep, n.zeroPoint, n.low, n.high, n.rounding,
                               n.inputZeroPoint, n.zeroStep);
  }

  /// Copies the taps of some pixels and multiplies them.
  void emitPixels(Value row, const Place &result, Value first) {
    Value count = index(pixels);
    if (p.outputColumns % pixels != 0) {
      Value rest = b.create<arith::SubIOp>(index(p.outputColumns), first);
      count = min(rest, pixels);
    }
    if (kernel.isDirect() && width > 1) {
      Place from = rowOf(function.operand(kernel.conv.input), mul(row, p.strideRows), p.inputRows);
      int64_t step = p.strideColumns * p.inputChannels;
      extend({from.memory, mul(first, step)}, count, step);
    } else {
      // The bytes of an extended patch are its second half until they are extended.
      Value patch = index((width - 1) * patchNumbers);
      loop(zero, index(p.kernelRows),
           [&](Value tapRow) { emitTaps(row, tapRow, first, count, patch); });
      if (width > 1) {
        extend({function.scratch(), patch}, count, patchStep);
      }
    }
    emitPatchProduct({result.memory, mul(first, p.outputChannels)}, count);
  }

  /// Writes the padding of the last patch, which loads read. The run then writes all of its scratch
  /// memory, and the emulator proves the size of the workspace.
  void fillLastPadding() {
    int64_t padding = (patchNumbers - depth) * width;
    if (pixels > 0 && padding > 0) {
      Value at = index(pixels * patchStep - padding);
      b.create<ByteFillOp>(function.scratch(), at, index(padding), /*value=*/0);
    }
  }

  /// Extends the bytes of pixels to patches.
  void extend(const Place &from, Value count, int64_t step) {
    b.create<ByteExtendOp>(from.memory, from.at, function.scratch(), zero, count, depth, step,
                           patchStep);
  }

  void emitPatchProduct(const Place &result, Value count) {
    emitPixelProduct({function.scratch(), zero}, result, count, patchNumbers, patchStep,
                     /*isPatch=*/true);
  }

  void emitPixelProduct(const Place &input, const Place &result, Value count, int64_t inputBytes,
                        int64_t step, bool isPatch) {
    Numbers n = numbers();
    b.create<ByteProductOp>(input.memory, input.at, function.operand(kernel.conv.weight), zero,
                            function.operand(kernel.conv.bias()), zero, multiplier, zero, shift,
                            zero, zeros, zero, result.memory, result.at, count, depth, inputBytes,
                            p.outputChannels, step, p.outputChannels, n.first, n.tableStep,
                            n.zeroPoint, n.low, n.high, n.rounding, n.inputZeroPoint, n.zeroStep,
                            tile, isPatch ? width : 1);
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
                            p.dilationColumns, p.padLeft, patchStep, zeroPoint);
    };
    auto pad = [&] {
      loop(zero, count, [&](Value pixel) {
        Value place = add(at, mul(pixel, patchStep));
        b.create<ByteFillOp>(function.scratch(), place, index(rowBytes), zeroPoint);
      });
    };
    branchOnRow(*this, p, from, copy, pad);
  }

  /// The numbers of a product that depend on the weights and on the requantize op.
  struct Numbers {
    int64_t first, tableStep, zeroPoint, low, high, rounding, inputZeroPoint, zeroStep;
  };

  Numbers numbers() {
    graph::RequantizeOp requantize = kernel.requantize;
    bool isPerTensor =
        cast<RankedTensorType>(requantize.getMultiplier().getType()).getNumElements() == 1;
    ByteGroups groups(WeightDims({p.outputChannels, depth}, /*transposed=*/false),
                      kernel.conv.integers->inputZeroPoint);
    return {groups.first,
            isPerTensor ? 0 : ByteGroups::kChannels,
            static_cast<int64_t>(requantize.getZeroPoint()),
            static_cast<int64_t>(requantize.getLow()),
            static_cast<int64_t>(requantize.getHigh()),
            static_cast<int64_t>(requantize.getRounding()),
            kernel.conv.integers->inputZeroPoint,
            zeroStepOf(kernel.conv, ByteGroups::kChannels)};
  }

  KernelFunction &function;
  BytesConv kernel;
  const ConvProblem &p;
  int64_t pixels; // per group of patches
  int64_t tile, width;
  int64_t depth;
  int64_t patchNumbers;
  int64_t patchStep; // bytes from a patch to the next one
  Value zero;
  Value multiplier, shift, zeros; // tables
};

} // namespace

LogicalResult lowerConvBytes(task::KernelOp kernel, const BytesConv &matched, ConvBytesAttr config,
                             const Machine &machine) {
  int64_t numbers = matched.patchNumbers(machine);
  KernelFunction function(kernel, config.getPixels() * config.getWidth() * numbers);
  function.finishRows(ConvBytesEmitter(function, matched, config, numbers).emit());
  return success();
}

} // namespace convoy::kernels
