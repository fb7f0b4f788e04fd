// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example template as the layout stage, the tuner and the kernels stage see it.

#include "Graph/OpFacts.h"
#include "Kernels/Example/Example.h"
#include "Kernels/KernelTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Vectors per task that the cost model prefers.
constexpr int64_t kRuleUnroll = 4;

/// Returns the number of elements of the kernel's tensors, or the reason why the template does not
/// support the kernel.
std::string whyNotVectors(const KernelFacts &facts, int64_t &elements) {
  if (facts.kernel.getNumResults() != 1) {
    return "the kernel has several results";
  }
  Type type = facts.kernel.getResult(0).getType();
  auto vector = cast<RankedTensorType>(type);
  bool isSame =
      llvm::all_of(facts.kernel.getInputs(), [&](Value in) { return in.getType() == type; });
  if (!isSame || vector.getRank() != 1 || !vector.getElementType().isF32()) {
    return "an operand or the result is not an f32 vector of the same length";
  }
  for (Operation &op : facts.body().without_terminator()) {
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

class ExampleTemplate : public KernelTemplate {
public:
  StringRef id() const override { return ExampleAttr::getMnemonic(); }
  int version() const override { return 1; }
  bool usesBlocks() const override { return false; }

  std::string whyNot(const KernelFacts &facts, const Machine &machine) const override {
    int64_t elements = 0;
    std::string reason = whyNotVectors(facts, elements);
    return reason.empty() ? whyNotStep(elements, machine.lanes() * kRuleUnroll) : reason;
  }

  std::vector<Choice> choose(const KernelFacts &facts, const Machine &machine) const override {
    if (!whyNot(facts, machine).empty()) {
      return {};
    }
    return {
        {configure(facts.context(), machine, kRuleUnroll), Attribute(), cycles(facts, machine)}};
  }

  std::vector<LayoutSpace> spaces(const KernelFacts &facts, const Machine &machine) const override {
    if (!whyNot(facts, machine).empty()) {
      return {};
    }
    Space space;
    space.templateId = id().str();
    space.version = version();
    space.knobs = {{"unroll", KnobKind::Ordered, {"unroll"}, {{1}, {2}, {kRuleUnroll}, {8}}}};
    int64_t elements = 0;
    (void)whyNotVectors(facts, elements);
    int64_t lanes = machine.lanes();
    space.constraints = {{"the number of elements is not a multiple of lanes x unroll",
                          [=](const Settings &s) { return elements % (lanes * s[0]) == 0; }}};
    space.configure = [machine, context = facts.context()](const Settings &s) {
      return configure(context, machine, s[0]);
    };
    space.cycles = [estimate = cycles(facts, machine)](const Settings &s) {
      return estimate * strayFactor(s[0], kRuleUnroll, /*perDoubling=*/0.01);
    };
    return {{std::move(space), Attribute()}};
  }

  std::string fit(const KernelFacts &facts, Attribute config, Attribute input,
                  Candidate &candidate) const override {
    auto own = cast<ExampleAttr>(config);
    int64_t elements = 0;
    std::string reason = whyNotVectors(facts, elements);
    if (reason.empty() && input) {
      reason = "the template expects a planar input, got " + layoutText(input);
    }
    candidate.operands.assign(facts.kernel.getInputs().size(), Attribute()); // planar
    candidate.config = config;
    return reason.empty() ? whyNotStep(elements, own.getLanes() * own.getUnroll()) : reason;
  }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine &machine) const override {
    return lowerExample(function, cast<ExampleAttr>(config), machine);
  }

private:
  static Attribute configure(MLIRContext *context, const Machine &machine, int64_t unroll) {
    return ExampleAttr::get(context, machine.lanes(), unroll);
  }

  /// Counts one cycle per op and vector.
  static double cycles(const KernelFacts &facts, const Machine &machine) {
    auto type = cast<RankedTensorType>(facts.kernel.getResult(0).getType());
    auto ops = static_cast<double>(facts.body().getOperations().size() - 1);
    return ops * static_cast<double>(type.getNumElements()) / static_cast<double>(machine.lanes());
  }
};

} // namespace

const KernelTemplate &exampleTemplate() {
  static const ExampleTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
