// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches kernels of depthwise_bytes and emits the loop over rows that DepthwiseBytes.td documents.

#include "Kernels/DepthwiseBytes/DepthwiseBytes.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"
#include "Task/Task.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Rows and columns of taps.
constexpr int64_t kTaps = 3;

std::string whyNotProblem(const ConvKernel &conv) {
  const IntegerOperands &integers = *conv.integers;
  const ConvProblem &p = conv.problem;
  if (!p.isDepthwise() || p.outputChannels != 1) {
    return "the kernel is not a depthwise convolution with one output channel per group";
  }
  if (integers.isInputWide || !integers.isInputSigned || !integers.isWeightSigned ||
      integers.weightZeroPoint != 0) {
    return "the kernel has inputs or weights that are not i8, or weights with a zero point";
  }
  if (p.kernelRows != kTaps || p.kernelColumns != kTaps) {
    return "the convolution has " + std::to_string(p.kernelRows) + " x " +
           std::to_string(p.kernelColumns) + " taps, the template expects 3 x 3";
  }
  bool isImage = cast<RankedTensorType>(conv.op->getResult(0).getType()).getRank() == 4;
  if (p.batch != 1 || !isImage) {
    return "the template expects one image with two spatial dimensions";
  }
  return "";
}

class DepthwiseBytesEmitter : LoopNest {
public:
  DepthwiseBytesEmitter(KernelFunction &function, const BytesDepthwise &kernel)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.conv.problem) {}

  /// Emits the loop over the rows of the result and returns their number.
  int64_t emit() {
    loop(function.begin(), function.end(), [&](Value row) { emitRow(row); });
    return p.outputRows;
  }

private:
  struct TapRow {
    Value view;
    Value missing; // 1 if the row is outside the input
  };

  TapRow tapRow(Value row, int64_t tap);
  void emitRow(Value row);
  Value argumentOf(Value value) {
    return function.operand(cast<BlockArgument>(value).getArgNumber());
  }

  KernelFunction &function;
  BytesDepthwise kernel;
  const ConvProblem &p;
};

/// Views a row of taps, or the nearest row of the input if the row of taps is outside.
DepthwiseBytesEmitter::TapRow DepthwiseBytesEmitter::tapRow(Value row, int64_t tap) {
  int64_t distance = tap * p.dilationRows - p.padTop;
  Value from = add(mul(row, p.strideRows), distance);
  Value missing = index(0);
  auto note = [&](arith::CmpIPredicate predicate, int64_t bound) {
    Value isOutside = b.create<arith::CmpIOp>(predicate, from, index(bound));
    missing = b.create<arith::SelectOp>(isOutside, index(1), missing);
  };
  Value nearest = from;
  if (distance < 0) {
    note(arith::CmpIPredicate::slt, 0);
    nearest = b.create<arith::MaxSIOp>(nearest, index(0));
  }
  if ((p.outputRows - 1) * p.strideRows + distance >= p.inputRows) {
    note(arith::CmpIPredicate::sge, p.inputRows);
    nearest = min(nearest, p.inputRows - 1);
  }
  Value x = function.operand(kernel.conv.input);
  return {b.create<task::RowViewOp>(x, nearest, p.inputRows), missing};
}

void DepthwiseBytesEmitter::emitRow(Value row) {
  graph::RequantizeOp requantize = kernel.requantize;
  SmallVector<TapRow> rows;
  Value missing = index(0);
  for (int64_t tap = 0; tap < kTaps; ++tap) {
    rows.push_back(tapRow(row, tap));
    missing = add(missing, mul(rows.back().missing, int64_t(1) << tap));
  }
  Value result = b.create<task::RowViewOp>(function.result(0), row, p.outputRows);
  int64_t zeroPoint = kernel.conv.integers->inputZeroPoint;
  bool isPerTensor =
      cast<RankedTensorType>(requantize.getMultiplier().getType()).getNumElements() == 1;
  Value zero = index(0);
  b.create<ByteDepthwiseOp>(
      result, zero, rows[0].view, zero, rows[1].view, zero, rows[2].view, zero,
      function.operand(kernel.conv.weight), zero, argumentOf(kernel.conv.bias()), zero,
      argumentOf(requantize.getMultiplier()), zero, argumentOf(requantize.getShift()), zero,
      function.scratch(), zero, missing, p.groups, p.inputColumns, p.outputColumns, p.strideColumns,
      p.dilationColumns, p.padLeft, zeroPoint,
      zeroPoint == 0 ? 0 : kDepthwiseGroup * static_cast<int64_t>(sizeof(int32_t)),
      isPerTensor ? 0 : kDepthwiseGroup, static_cast<int64_t>(requantize.getZeroPoint()),
      static_cast<int64_t>(requantize.getLow()), static_cast<int64_t>(requantize.getHigh()));
}

} // namespace

std::optional<BytesDepthwise>
matchDepthwiseBytes(Block &body, const std::optional<ConvKernel> &conv, std::string &reason) {
  if (!conv || !conv->integers) {
    reason = "the kernel computes with floats, the template expects 8-bit integers";
    return std::nullopt;
  }
  if (reason = whyNotProblem(*conv); !reason.empty()) {
    return std::nullopt;
  }
  auto requantize = body.getTerminator()->getOperand(0).getDefiningOp<graph::RequantizeOp>();
  bool isAlone = requantize && requantize.getInput() == conv->op->getResult(0) &&
                 llvm::range_size(body.without_terminator()) == 2;
  if (!isAlone || requantize.getRounding() != graph::ShiftRounding::HalfUp ||
      fromMlir(requantize.getTo()) != ElementType::I8) {
    reason =
        "the kernel has other ops than a convolution and a requantize that rounds ties up to i8";
    return std::nullopt;
  }
  auto isArgument = [](Value value) { return value && isa<BlockArgument>(value); };
  auto multipliers = cast<RankedTensorType>(requantize.getMultiplier().getType());
  bool isPerChannel = multipliers.getNumElements() == 1 || requantize.getAxis() == 1;
  if (!isArgument(requantize.getMultiplier()) || !isArgument(requantize.getShift()) ||
      !isArgument(conv->bias()) || !isPerChannel || conv->isInputReused) {
    reason = "the kernel has no bias, or its multipliers are not per channel";
    return std::nullopt;
  }
  return BytesDepthwise{*conv, requantize};
}

LogicalResult lowerDepthwiseBytes(task::KernelOp kernel, const BytesDepthwise &matched) {
  KernelFunction function(kernel, matched.conv.problem.groups);
  int64_t rows = DepthwiseBytesEmitter(function, matched).emit();
  function.setRows(1, task::evenChunks(rows, 1));
  function.finish(rows);
  return success();
}

} // namespace convoy::kernels
