// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depthwise_bytes template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/ByteTemplate.h"
#include "Kernels/DepthwiseBytes/DepthwiseBytes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Instructions per result, measured on a Cortex-M55 with gcc.
constexpr double kResultInstructions = 11;
/// The largest magnitude of an input byte.
constexpr int64_t kMostByte = 128;

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

/// Returns the reason why the byte op cannot compute and rescale the sums, or an empty string.
std::string whyNotNumbers(const KernelFacts &facts, const BytesDepthwise &kernel) {
  graph::RequantizeOp requantize = kernel.requantize;
  std::optional<Tensor> weights = constantOf(facts, kernel.conv.op->getOperand(1));
  std::optional<Tensor> bias = constantOf(facts, kernel.conv.bias());
  std::optional<Tensor> shift = constantOf(facts, requantize.getShift());
  if (!weights || !bias || !shift || !constantOf(facts, requantize.getMultiplier())) {
    return "weights, biases, multipliers or shifts of the kernel are computed at run time";
  }
  if (!fitPairs(*weights, kernel.conv.problem.taps())) {
    return "the products of two weights and inputs can exceed 16 bits";
  }
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
  int version() const override { return kDepthwiseBytesVersion; }

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

  Attribute inputLayout(const KernelFacts &facts, const BytesDepthwise &kernel) const override {
    return pixelLayout(facts.context(), kernel.conv.problem.groups);
  }

  std::vector<Choice> chooseMatched(const KernelFacts &facts, const BytesDepthwise &kernel,
                                    const Machine & /*machine*/) const override {
    const ConvProblem &p = kernel.conv.problem;
    auto results = static_cast<double>(p.outputRows * p.outputColumns * p.groups);
    return {{DepthwiseBytesAttr::get(facts.context(), kDepthwiseGroup), inputLayout(facts, kernel),
             kResultInstructions * results}};
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
    layout(requantize.getMultiplier()) = LaneQuartersAttr::get(context, 0);
    layout(requantize.getShift()) = LaneQuartersAttr::get(context, kByteShiftMinuend);
  }

  LogicalResult lowerMatched(task::KernelOp function, const BytesDepthwise &kernel,
                             DepthwiseBytesAttr /*config*/,
                             const Machine & /*machine*/) const override {
    return lowerDepthwiseBytes(function, kernel);
  }
};

} // namespace

const KernelTemplate &depthwiseBytesTemplate() { return onlyObject<DepthwiseBytesTemplate>(); }

} // namespace convoy::kernels
