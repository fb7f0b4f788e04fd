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

class ConvBytesTemplate : public ByteTemplate<BytesConv> {
public:
  StringRef id() const override { return ConvBytesAttr::getMnemonic(); }
  int version() const override { return kConvBytesVersion; }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine & /*machine*/) const override {
    return lowerConvBytes(function, cast<ConvBytesAttr>(config));
  }

protected:
  std::optional<BytesConv> match(const KernelFacts &facts, std::string &reason) const override {
    std::optional<BytesConv> kernel = matchBytesConv(facts.body(), reason);
    if (kernel) {
      reason = whyNotNumbers(facts, *kernel);
    }
    return reason.empty() ? kernel : std::nullopt;
  }

  Choice chooseBytes(const KernelFacts &facts, const BytesConv &kernel) const override {
    ConvBytesChoice choice = chooseConvBytes(kernel, facts.context());
    return {choice.config, inputLayout(facts, kernel), choice.cycles};
  }

  std::string fitBytes(const KernelFacts &facts, const BytesConv &kernel,
                       Candidate &candidate) const override {
    std::string reason = whyNotConvBytes(kernel, cast<ConvBytesAttr>(candidate.config));
    if (reason.empty()) {
      setLayouts(facts, kernel, candidate);
    }
    return reason;
  }

private:
  static Attribute inputLayout(const KernelFacts &facts, const BytesConv &kernel) {
    const ConvProblem &p = kernel.conv.problem;
    return p.isMatrix ? Attribute() : pixelLayout(facts.context(), p.inputChannels);
  }

  static void setLayouts(const KernelFacts &facts, const BytesConv &kernel, Candidate &candidate) {
    MLIRContext *context = facts.context();
    const ConvProblem &p = kernel.conv.problem;
    candidate.operands.assign(facts.kernel.getInputs().size(), Attribute());
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
};

} // namespace

const KernelTemplate &convBytesTemplate() {
  static const ConvBytesTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
