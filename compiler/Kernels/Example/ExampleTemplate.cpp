// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example template as the layout stage, the tuner and the kernels stage see it.

#include "Graph/OpFacts.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/Kernel.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/MatchingTemplate.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Vectors per task that the cost model prefers.
constexpr int64_t kRuleUnroll = 4;

/// Returns the reason why the template does not support the kernel, or sets the number of elements
/// of its tensors.
std::string whyNotVectors(Block &body, int64_t &elements) {
  if (body.getTerminator()->getNumOperands() != 1) {
    return "the kernel has several results";
  }
  Type type = body.getTerminator()->getOperand(0).getType();
  auto vector = cast<RankedTensorType>(type);
  bool isSame = llvm::all_of(body.getArgumentTypes(), [&](Type own) { return own == type; });
  if (!isSame || vector.getRank() != 1 || !vector.getElementType().isF32()) {
    return "an operand or the result is not an f32 vector of the same length";
  }
  for (Operation &op : body.without_terminator()) {
    if (graph::classify(&op) != graph::OpClass::Elementwise) {
      return "the kernel contains " + op.getName().getStringRef().str() +
             ", which is not element-wise";
    }
  }
  elements = vector.getNumElements();
  return "";
}

std::string whyNotStep(int64_t elements, int64_t step) {
  return elements % step == 0
             ? ""
             : std::to_string(elements) +
                   " elements are not a multiple of lanes x unroll = " + std::to_string(step);
}

/// Matches a kernel as the number of elements of its tensors.
class ExampleTemplate : public MatchingTemplate<ExampleAttr, int64_t> {
public:
  int version() const override { return 1; }

protected:
  std::optional<int64_t> match(Block &body, std::string &reason) const override {
    int64_t elements = 0;
    reason = whyNotVectors(body, elements);
    return reason.empty() ? std::optional(elements) : std::nullopt;
  }

  std::string whyNotMatched(const KernelFacts & /*facts*/, const int64_t &elements,
                            const Machine &machine) const override {
    return whyNotStep(elements, machine.lanes() * kRuleUnroll);
  }

  std::string whyNotConfig(const int64_t &elements, Block & /*body*/,
                           ExampleAttr config) const override {
    return whyNotStep(elements, config.getLanes() * config.getUnroll());
  }

  std::optional<Space> spaceOf(const KernelFacts &facts, const int64_t &elements,
                               const Machine &machine) const override {
    Space space;
    space.knobs = {{"unroll", KnobKind::Ordered, {"unroll"}, {{1}, {2}, {kRuleUnroll}, {8}}}};
    int64_t lanes = machine.lanes();
    space.constraints = {{"the number of elements is not a multiple of lanes x unroll",
                          [=](const Settings &s) { return elements % (lanes * s[0]) == 0; }}};
    space.configure = [lanes, context = facts.context()](const Settings &s) {
      return ExampleAttr::get(context, lanes, s[0]);
    };
    space.cycles = [estimate = cycles(facts, machine)](const Settings &s) {
      return estimate * strayFactor(s[0], kRuleUnroll, /*perDoubling=*/0.01);
    };
    return space;
  }

  /// Emits the loop nest that Example.td documents. The generic emitters compute the elements.
  LogicalResult lowerMatched(task::KernelOp kernel, const int64_t &count, ExampleAttr config,
                             const Machine &machine) const override {
    KernelFunction function(kernel);
    KernelEmitter elements(function.b, machine.vectorBytes);
    function.bindOperands(elements);
    LoopNest nest(function.b);
    Value result = function.body().getTerminator()->getOperand(0);
    int64_t step = config.getLanes() * config.getUnroll();
    nest.loop(function.begin(), function.end(), [&](Value task) {
      for (int64_t u = 0; u < config.getUnroll(); ++u) {
        Value first = nest.add(nest.mul(task, step), u * config.getLanes());
        elements.width = config.getLanes();
        Value vector = elements.lanes().splat(elements.element(result, {Index{first, 1, {}}}));
        elements.width = 1;
        function.b.create<vector::StoreOp>(vector, function.result(0), first);
      }
    });
    function.finish(count / step);
    return success();
  }

private:
  /// Counts one cycle per op and vector.
  static double cycles(const KernelFacts &facts, const Machine &machine) {
    auto type = cast<RankedTensorType>(facts.kernel.getResult(0).getType());
    auto ops = static_cast<double>(facts.body().getOperations().size() - 1);
    return ops * static_cast<double>(type.getNumElements()) / static_cast<double>(machine.lanes());
  }
};

} // namespace

const KernelTemplate &exampleTemplate() { return onlyObject<ExampleTemplate>(); }

} // namespace convoy::kernels
