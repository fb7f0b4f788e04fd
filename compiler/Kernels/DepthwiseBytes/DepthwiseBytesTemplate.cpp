// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depthwise_bytes template: matches kernels and emits the loop over rows that DepthwiseBytes.td
// documents.

#include "Kernels/ByteTemplate.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/DepthwiseBytes/DepthwiseBytes.h"
#include "Kernels/Kernel.h"
#include "Kernels/KernelFunction.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// A depthwise convolution on bytes with its requantize op.
struct BytesDepthwise {
  ConvKernel conv;
  graph::RequantizeOp requantize;
  bool fitPairs = true; // the products of two consecutive taps fit in 16 bits

  bool needsWide() const { return conv.correctsWeights() || !fitPairs; }
};

/// Instructions per result, measured on a Cortex-M55 with gcc.
constexpr double kResultInstructions = 11;
/// The largest magnitude of an input byte.
constexpr int64_t kMostByte = 128;

/// Rows and columns of taps.
constexpr int64_t kTaps = 3;

std::string whyNotProblem(const ConvKernel &conv) {
  const IntegerOperands &integers = *conv.integers;
  const ConvProblem &p = conv.problem;
  if (!p.isDepthwise() || p.outputChannels != 1) {
    return "the kernel is not a depthwise convolution with one output channel per group";
  }
  if (integers.isInputWide || !integers.isInputSigned || !integers.isWeightSigned) {
    return "the kernel has inputs or weights that are not i8";
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
  DepthwiseBytesEmitter(KernelFunction &function, const BytesDepthwise &kernel, bool isWide)
      : LoopNest(function.b), function(function), kernel(kernel), p(kernel.conv.problem),
        isWide(isWide) {}

  /// Emits the loop over the rows of the result and returns their number.
  int64_t emit() {
    multiplier = emitTable(function, kernel.requantize.getMultiplier(), kDepthwiseGroup, 0);
    shift = emitTable(function, kernel.requantize.getShift(), kDepthwiseGroup, kByteShiftMinuend);
    weightZeros = emitZeroPoints(function, kernel.conv, kDepthwiseGroup, isWide);
    loop(function.begin(), function.end(), [&](Value row) { emitRow(row); });
    return p.outputRows;
  }

private:
  struct TapRow {
    Value view;
    Value missing; // 1 if the row is outside the input
  };

  /// Views a row of taps, or the nearest row of the input if the row of taps is outside.
  TapRow tapRow(Value row, int64_t tap) {
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

  void emitRow(Value row) {
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
        function.operand(kernel.conv.weight), zero, function.operand(kernel.conv.bias()), zero,
        multiplier, zero, shift, zero, weightZeros, zero, function.scratch(), zero, missing,
        p.groups, p.inputColumns, p.outputColumns, p.strideColumns, p.dilationColumns, p.padLeft,
        zeroPoint, zeroPoint == 0 ? 0 : kDepthwiseGroup * static_cast<int64_t>(sizeof(int32_t)),
        isPerTensor ? 0 : kDepthwiseGroup,
        isWide ? std::max<int64_t>(zeroStepOf(kernel.conv, kDepthwiseGroup), 0) : -1,
        static_cast<int64_t>(requantize.getZeroPoint()), static_cast<int64_t>(requantize.getLow()),
        static_cast<int64_t>(requantize.getHigh()));
  }

  KernelFunction &function;
  BytesDepthwise kernel;
  const ConvProblem &p;
  bool isWide;
  Value multiplier, shift, weightZeros; // tables
};

/// Matches a depthwise convolution and its requantize op.
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
  auto isComputed = [](Operation &op) { return !isa<graph::ConstantOp>(op); };
  bool isAlone = requantize && requantize.getInput() == conv->op->getResult(0) &&
                 llvm::count_if(body.without_terminator(), isComputed) == 2;
  if (!isAlone || requantize.getRounding() != graph::ShiftRounding::HalfUp ||
      fromMlir(requantize.getTo()) != ElementType::I8) {
    reason =
        "the kernel has other ops than a convolution and a requantize that rounds ties up to i8";
    return std::nullopt;
  }
  auto multipliers = cast<RankedTensorType>(requantize.getMultiplier().getType());
  bool isPerChannel = multipliers.getNumElements() == 1 || requantize.getAxis() == 1;
  bool hasBias = isa_and_nonnull<BlockArgument>(conv->bias());
  if (!isTable(requantize.getMultiplier()) || !isTable(requantize.getShift()) || !hasBias ||
      !isPerChannel || conv->isInputReused) {
    reason = "the kernel has no bias, or its multipliers are not per channel";
    return std::nullopt;
  }
  return BytesDepthwise{*conv, requantize, /*fitPairs=*/true};
}

/// Returns whether the products of each two consecutive taps fit in 16 bits, for all input bytes.
bool fitPairs(const Tensor &weights, int64_t taps) {
  for (int64_t i = 0; i < weights.size(); ++i) {
    bool isFirst = i % taps % 2 == 0 && i % taps + 1 < taps;
    int64_t sum = std::abs(weights.asInt(i)) + (isFirst ? std::abs(weights.asInt(i + 1)) : 0);
    if (sum * kMostByte > std::numeric_limits<int16_t>::max()) {
      return false;
    }
  }
  return true;
}

/// Returns the reason why the byte op cannot compute and rescale the sums, or an empty string. Sets
/// whether pairs of products fit.
std::string whyNotNumbers(const KernelFacts &facts, BytesDepthwise &kernel) {
  graph::RequantizeOp requantize = kernel.requantize;
  std::optional<Tensor> weights = constantOf(facts, kernel.conv.op->getOperand(1));
  std::optional<Tensor> bias = constantOf(facts, kernel.conv.bias());
  std::optional<Tensor> shift = constantOf(facts, requantize.getShift());
  if (!weights || !bias || !shift || !constantOf(facts, requantize.getMultiplier())) {
    return "weights, biases, multipliers or shifts of the kernel are computed at run time";
  }
  kernel.fitPairs = fitPairs(*weights, kernel.conv.problem.taps());
  if (std::string reason = whyNotShifts(*shift); !reason.empty()) {
    return reason;
  }
  for (int64_t i = 0; i < bias->size(); ++i) {
    if (std::abs(bias->asInt(i)) >= kMostByteSum / 2) {
      return "the sums of the kernel can exceed 31 bits";
    }
  }
  return "";
}

class DepthwiseBytesTemplate : public ByteTemplate<DepthwiseBytesAttr, BytesDepthwise> {
public:
  int version() const override { return 2; }

protected:
  std::optional<BytesDepthwise> match(Block &body, std::string &reason) const override {
    return matchDepthwiseBytes(body, matchIntegerKernel(body), reason);
  }

  std::optional<BytesDepthwise> matchFacts(const KernelFacts &facts,
                                           std::string &reason) const override {
    if (!facts.conv) {
      reason = facts.whyNotConv;
      return std::nullopt;
    }
    std::optional<BytesDepthwise> kernel = matchDepthwiseBytes(facts.body(), facts.conv, reason);
    reason = kernel ? whyNotNumbers(facts, *kernel) : reason;
    return reason.empty() ? kernel : std::nullopt;
  }

  std::string whyNotConfig(const BytesDepthwise &kernel, Block & /*body*/,
                           DepthwiseBytesAttr config) const override {
    return config.getWide() || !kernel.needsWide() ? ""
                                                   : "the weights have zero points, or two of "
                                                     "their products can exceed 16 bits, but the "
                                                     "configuration is not wide";
  }

  Attribute inputLayout(const KernelFacts &facts, const BytesDepthwise &kernel) const override {
    return pixelLayout(facts.context(), kernel.conv.problem.groups);
  }

  std::vector<ConfigChoice> chooseMatched(const KernelFacts &facts, const BytesDepthwise &kernel,
                                          const Machine & /*machine*/) const override {
    const ConvProblem &p = kernel.conv.problem;
    auto results = static_cast<double>(p.outputRows * p.outputColumns * p.groups);
    return {{DepthwiseBytesAttr::get(facts.context(), kDepthwiseGroup, kernel.needsWide()),
             inputLayout(facts, kernel), kResultInstructions * results}};
  }

  void setLayouts(const KernelFacts &facts, const BytesDepthwise &kernel,
                  DepthwiseBytesAttr /*config*/, Candidate &candidate) const override {
    candidate.result = inputLayout(facts, kernel);
    MLIRContext *context = facts.context();
    graph::RequantizeOp requantize = kernel.requantize;
    auto layout = [&](Value value) -> Attribute & {
      return candidate.operands[cast<BlockArgument>(value).getArgNumber()];
    };
    candidate.operands[kernel.conv.input] = candidate.result;
    candidate.operands[kernel.conv.weight] =
        DepthwiseGroupsAttr::get(context, kernel.conv.integers->inputZeroPoint);
    layout(kernel.conv.bias()) = LaneQuartersAttr::get(context, 0);
    if (Value zeros = kernel.conv.weightZeroPoints()) {
      layout(zeros) = LaneQuartersAttr::get(context, 0);
    }
    for (auto [table, minuend] : {std::pair(requantize.getMultiplier(), int64_t(0)),
                                  std::pair(requantize.getShift(), kByteShiftMinuend)}) {
      if (isa<BlockArgument>(table)) {
        layout(table) = LaneQuartersAttr::get(context, minuend);
      }
    }
  }

  LogicalResult lowerMatched(task::KernelOp kernel, const BytesDepthwise &matched,
                             DepthwiseBytesAttr config,
                             const Machine & /*machine*/) const override {
    KernelFunction function(kernel, matched.conv.problem.groups);
    function.finishRows(DepthwiseBytesEmitter(function, matched, config.getWide()).emit());
    return success();
  }
};

} // namespace

const KernelTemplate &depthwiseBytesTemplate() { return onlyObject<DepthwiseBytesTemplate>(); }

} // namespace convoy::kernels
