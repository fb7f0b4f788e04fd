// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_bytes template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/ByteTemplate.h"
#include "Kernels/ConvBytes/ByteGroups.h"
#include "Kernels/ConvBytes/ConvBytes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

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
  // Weights, inputs and zero points are at most 128 in magnitude. The part of the zero point is in
  // the first value of a sum.
  most += kernel.depth() * 128 * (128 + 128);
  return most < kMostByteSum ? "" : "the sums of the kernel can exceed 31 bits";
}

class ConvBytesTemplate : public ByteTemplate<ConvBytesAttr, BytesConv> {
public:
  int version() const override { return kConvBytesVersion; }

protected:
  std::optional<BytesConv> match(Block &body, std::string &reason) const override {
    return matchBytesConv(body, reason);
  }

  std::optional<BytesConv> matchFacts(const KernelFacts &facts,
                                      std::string &reason) const override {
    std::optional<BytesConv> kernel = match(facts.body(), reason);
    reason = kernel ? whyNotNumbers(facts, *kernel) : reason;
    return reason.empty() ? kernel : std::nullopt;
  }

  std::string whyNotConfig(const BytesConv &kernel, Block & /*body*/,
                           ConvBytesAttr config) const override {
    return whyNotConvBytes(kernel, config);
  }

  Attribute inputLayout(const KernelFacts &facts, const BytesConv &kernel) const override {
    const ConvProblem &p = kernel.conv.problem;
    return p.isMatrix ? Attribute() : pixelLayout(facts.context(), p.inputChannels);
  }

  std::vector<Choice> chooseMatched(const KernelFacts &facts, const BytesConv &kernel,
                                    const Machine & /*machine*/) const override {
    return choicesOf(chooseConvBytes(kernel, facts.context()), inputLayout(facts, kernel));
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
    candidate.operands[kernel.conv.weight] = convBytesWeights(kernel, context);
    setTable(kernel.conv.bias(), 0);
    setTable(kernel.requantize.getMultiplier(), 0);
    setTable(kernel.requantize.getShift(), kByteShiftMinuend);
    if (BlockArgument added = kernel.added()) {
      candidate.operands[added.getArgNumber()] = pixelLayout(context, p.outputChannels);
    }
    candidate.result = p.isMatrix ? Attribute() : pixelLayout(context, p.outputChannels);
  }

  LogicalResult lowerMatched(task::KernelOp function, const BytesConv &kernel, ConvBytesAttr config,
                             const Machine & /*machine*/) const override {
    return lowerConvBytes(function, kernel, config);
  }
};

} // namespace

const KernelTemplate &convBytesTemplate() { return onlyObject<ConvBytesTemplate>(); }

} // namespace convoy::kernels
