// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_bytes template: matches kernels. ConvBytesSpace.cpp estimates their instructions, and
// ConvBytes.cpp emits them.

#include "Kernels/ByteTemplate.h"
#include "Kernels/ConvBytes/ByteGroups.h"
#include "Kernels/ConvBytes/ConvBytes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// The most bytes of patches of a pool. Without the template, the pool would be a kernel of its
/// own.
constexpr int64_t kMostWindowBytes = 2048;

std::string whyNotOperands(const ConvKernel &conv) {
  const IntegerOperands &integers = *conv.integers;
  if (integers.isInputWide || !integers.isInputSigned || !integers.isWeightSigned) {
    return "the kernel has inputs or weights that are not i8";
  }
  if (conv.problem.groups != 1) {
    return "the convolution has " + std::to_string(conv.problem.groups) +
           " groups, the template expects 1";
  }
  if (conv.problem.batch != 1) {
    return "the batch has " + std::to_string(conv.problem.batch) +
           " images, the template expects 1";
  }
  bool isImage = conv.problem.isMatrix ||
                 cast<RankedTensorType>(conv.op->getResult(0).getType()).getRank() == 4;
  return isImage ? "" : "the convolution has one spatial dimension, the template expects 2";
}

/// Finds the requantize op and the pool or sum. Returns the reason why the kernel has other ops, or
/// an empty string.
std::string whyNotOps(Block &body, BytesConv &kernel) {
  Operation *last = body.getTerminator()->getOperand(0).getDefiningOp();
  kernel.pool = dyn_cast_or_null<graph::MaxPoolOp>(last);
  kernel.sum = dyn_cast_or_null<graph::IntegerAddOp>(last);
  if (kernel.sum) {
    auto *lhs = kernel.sum.getLhs().getDefiningOp();
    last = lhs ? lhs : kernel.sum.getRhs().getDefiningOp();
  } else if (kernel.pool) {
    last = kernel.pool.getInput().getDefiningOp();
  }
  kernel.requantize = dyn_cast_or_null<graph::RequantizeOp>(last);
  int64_t expected = kernel.pool || kernel.sum ? 3 : 2;
  auto isComputed = [](Operation &op) { return !isa<graph::ConstantOp>(op); };
  bool isAlone = kernel.requantize &&
                 kernel.requantize.getInput() == kernel.conv.op->getResult(0) &&
                 kernel.requantize->hasOneUse() && kernel.conv.op->hasOneUse() &&
                 llvm::count_if(body.without_terminator(), isComputed) == expected &&
                 (!kernel.pool || kernel.pool.getIndices().use_empty());
  return isAlone ? ""
                 : "the kernel has other ops than a convolution or product, one requantize "
                   "and a max pool or sum";
}

std::string whyNotRequantize(const BytesConv &kernel) {
  graph::RequantizeOp &op = kernel.requantize;
  bool hasBias = isa_and_nonnull<BlockArgument>(kernel.conv.bias());
  if (!hasBias || !isTable(op.getMultiplier()) || !isTable(op.getShift())) {
    return "the kernel has no bias, or computes its bias, multipliers or shifts";
  }
  auto type = cast<RankedTensorType>(op.getMultiplier().getType());
  if (type.getRank() > 0 && (op.getAxis() != 1 || !isa<BlockArgument>(op.getMultiplier()) ||
                             !isa<BlockArgument>(op.getShift()))) {
    return "the multipliers of the kernel are not per channel";
  }
  bool isWide =
      cast<RankedTensorType>(kernel.conv.op->getResult(0).getType()).getElementTypeBitWidth() != 32;
  if (isWide || fromMlir(op.getTo()) != ElementType::I8) {
    return "the kernel has sums that are not i32, or a result that is not i8";
  }
  return kernel.conv.isInputReused ? "the kernel reads its input twice" : "";
}

std::string whyNotSum(const BytesConv &kernel) {
  graph::IntegerAddOp &sum = kernel.sum;
  BlockArgument added = kernel.added();
  bool isPlain =
      added && added.hasOneUse() && !kernel.conv.problem.isMatrix &&
      cast<RankedTensorType>(added.getType()).getShape() ==
          cast<RankedTensorType>(sum.getType()).getShape() &&
      fromMlir(cast<RankedTensorType>(added.getType()).getElementType()) == ElementType::I8 &&
      fromMlir(sum.getTo()) == ElementType::I8;
  if (!isPlain) {
    return "the operand of the sum is not an i8 image of the same shape";
  }
  return fitsByteAdd(sum) ? "" : "the sum does not fit in 32 bits";
}

std::string whyNotPool(const BytesConv &kernel) {
  graph::MaxPoolOp &pool = kernel.pool;
  if (kernel.conv.problem.isMatrix || pool.getKernel().size() != 2) {
    return "the max pool is not on images";
  }
  auto isNot = [](int64_t number) { return [=](int64_t value) { return value != number; }; };
  if (llvm::any_of(pool.getPads(), isNot(0)) || llvm::any_of(pool.getDilations(), isNot(1))) {
    return "the max pool has padding or dilations";
  }
  if (pool.getStrides()[0] < pool.getKernel()[0] || pool.getStrides()[1] < pool.getKernel()[1]) {
    return "the windows of the max pool overlap, so sums would be computed twice";
  }
  if (int64_t bytes = kernel.windowPixels() * kernel.depth(); bytes > kMostWindowBytes) {
    return "a window of the max pool reads " + std::to_string(bytes) +
           " bytes, the template expects at most " + std::to_string(kMostWindowBytes);
  }
  ArrayRef<int64_t> result = cast<RankedTensorType>(pool.getResult().getType()).getShape();
  int64_t rows = (result[2] - 1) * pool.getStrides()[0] + pool.getKernel()[0];
  int64_t columns = (result[3] - 1) * pool.getStrides()[1] + pool.getKernel()[1];
  bool isInside =
      rows <= kernel.conv.problem.outputRows && columns <= kernel.conv.problem.outputColumns;
  return isInside ? "" : "the last window of the max pool is not complete";
}

/// Returns the reason why byte ops cannot rescale the sums, or an empty string.
std::string whyNotNumbers(const KernelFacts &facts, const BytesConv &kernel) {
  std::optional<Tensor> bias = constantOf(facts, kernel.conv.bias());
  std::optional<Tensor> shift = constantOf(facts, kernel.requantize.getShift());
  bool isConstant = bias && shift && constantOf(facts, kernel.requantize.getMultiplier()) &&
                    constantOf(facts, kernel.conv.op->getOperand(1));
  if (!isConstant) {
    return "weights, biases, multipliers or shifts of the kernel are computed at run time";
  }
  if (std::string reason = whyNotShifts(*shift); !reason.empty()) {
    return reason;
  }
  int64_t most = 0;
  for (int64_t i = 0; i < bias->size(); ++i) {
    most = std::max(most, std::abs(bias->asInt(i)));
  }
  // Weights, inputs and zero points are at most 128 in magnitude. The part of the zero point of the
  // input is in the first value of a sum.
  int64_t mostZeroPoint =
      kernel.conv.weightZeroPoints() ? 128 : std::abs(kernel.conv.integers->weightZeroPoint);
  int64_t mostWeight = 128 + mostZeroPoint;
  most += kernel.depth() * mostWeight * (128 + 128);
  return most < kMostByteSum ? "" : "the sums of the kernel can exceed 31 bits";
}

class ConvBytesTemplate : public ByteTemplate<ConvBytesAttr, BytesConv> {
public:
  int version() const override { return 3; }

protected:
  std::optional<BytesConv> match(Block &body, std::string &reason) const override {
    ConvMatch layer = matchLayer(body);
    std::optional<ConvKernel> conv = layer.kernel ? layer.kernel : matchPooledIntegers(body);
    if (!conv || !conv->integers) {
      reason = conv ? "the kernel computes with floats, the template expects 8-bit integers"
                    : layer.reason;
      return std::nullopt;
    }
    BytesConv kernel{*conv, {}, {}, {}};
    reason = whyNotOperands(*conv);
    reason = reason.empty() ? whyNotOps(body, kernel) : reason;
    reason = reason.empty() ? whyNotRequantize(kernel) : reason;
    reason = reason.empty() && kernel.pool ? whyNotPool(kernel) : reason;
    reason = reason.empty() && kernel.sum ? whyNotSum(kernel) : reason;
    return reason.empty() ? std::optional(kernel) : std::nullopt;
  }

  std::optional<BytesConv> matchFacts(const KernelFacts &facts,
                                      std::string &reason) const override {
    std::optional<BytesConv> kernel = match(facts.body(), reason);
    reason = kernel ? whyNotNumbers(facts, *kernel) : reason;
    return reason.empty() ? kernel : std::nullopt;
  }

  std::string whyNotConfig(const BytesConv &kernel, Block & /*body*/,
                           ConvBytesAttr config) const override {
    int64_t pixels = config.getPixels();
    if (kernel.pool && pixels != kernel.windowPixels()) {
      return "the window of the pool has " + std::to_string(kernel.windowPixels()) +
             " pixels, the configuration copies " + std::to_string(pixels);
    }
    if (pixels == 0 && !kernel.isDirect()) {
      return "the configuration reads the input directly, but the kernel has several taps, padding "
             "or a pool";
    }
    if (kernel.pool && config.getWidth() > 1) {
      return "the configuration extends the patches of a window, but the pool reads bytes";
    }
    if (kernel.conv.problem.isMatrix && pixels > 0 && (pixels > 1 || config.getWidth() == 1)) {
      return "the configuration copies rows of a matrix, which only extended numbers of one row "
             "need";
    }
    return "";
  }

  Attribute inputLayout(const KernelFacts &facts, const BytesConv &kernel) const override {
    const ConvProblem &p = kernel.conv.problem;
    return p.isMatrix ? Attribute() : pixelLayout(facts.context(), p.inputChannels);
  }

  std::optional<Space> spaceOf(const KernelFacts &facts, const BytesConv &kernel,
                               const Machine &machine) const override {
    return convBytesSpace(kernel, machine, facts.context());
  }

  void setLayouts(const KernelFacts &facts, const BytesConv &kernel, ConvBytesAttr /*config*/,
                  Candidate &candidate) const override {
    MLIRContext *context = facts.context();
    const ConvProblem &p = kernel.conv.problem;
    auto setTable = [&](Value value, int64_t minuend) {
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        candidate.operands[argument.getArgNumber()] =
            RescaleTableAttr::get(context, ByteGroups::kChannels, minuend);
      }
    };
    candidate.operands[kernel.conv.input] = inputLayout(facts, kernel);
    candidate.operands[kernel.conv.weight] =
        ByteGroupsAttr::get(context, p.isMatrix, kernel.conv.integers->inputZeroPoint);
    setTable(kernel.conv.bias(), 0);
    if (Value zeros = kernel.conv.weightZeroPoints()) {
      setTable(zeros, 0);
    }
    setTable(kernel.requantize.getMultiplier(), 0);
    setTable(kernel.requantize.getShift(), kByteShiftMinuend);
    if (BlockArgument added = kernel.added()) {
      candidate.operands[added.getArgNumber()] = pixelLayout(context, p.outputChannels);
    }
    candidate.result = p.isMatrix ? Attribute() : pixelLayout(context, p.outputChannels);
  }

  LogicalResult lowerMatched(task::KernelOp function, const BytesConv &kernel, ConvBytesAttr config,
                             const Machine &machine) const override {
    return lowerConvBytes(function, kernel, config, machine);
  }
};

} // namespace

bool BytesConv::isDirect() const {
  const ConvProblem &p = conv.problem;
  bool isPadded = p.padTop > 0 || p.padLeft > 0 ||
                  (p.outputRows - 1) * p.strideRows >= p.inputRows ||
                  (p.outputColumns - 1) * p.strideColumns >= p.inputColumns;
  return p.isMatrix || (p.taps() == 1 && !isPadded && !pool);
}

int64_t BytesConv::patchNumbers(const Machine &machine) const {
  int64_t loaded = hasByteVectors(machine) ? ByteGroups::kBlock : machine.hasPairProducts ? 4 : 1;
  return ceilDiv(depth(), loaded) * loaded;
}

int64_t BytesConv::windowPixels() const {
  return pool ? pool.getKernel()[0] * pool.getKernel()[1] : 0;
}

BlockArgument BytesConv::added() const {
  if (!sum) {
    return {};
  }
  auto lhs = dyn_cast<BlockArgument>(sum.getLhs());
  return lhs ? lhs : dyn_cast<BlockArgument>(sum.getRhs());
}

const KernelTemplate &convBytesTemplate() { return onlyObject<ConvBytesTemplate>(); }

} // namespace convoy::kernels
