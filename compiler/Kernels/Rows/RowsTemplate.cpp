// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `rows` as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/MatchingTemplate.h"
#include "Kernels/Rows/RowProblem.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Terms of a sum in f32 that the rule allows: their rounding errors stay below the error of the
/// result, which is rounded to f32 once.
constexpr int64_t kRuleTerms = 64;
/// Vectors per step that hide the latency of an addition.
constexpr int64_t kRuleVectors = 4;
/// Rows of at most this number of vectors are short. A step has at most kMostRows of them.
constexpr int64_t kShortRow = 16;
constexpr int64_t kMostRows = 4;

/// Cycles to combine the lanes of an accumulator and to compute the result.
constexpr double kLaneCycles = 25;
/// Cycles of a pass that do not depend on the length of the row.
constexpr double kPassCycles = 8;
/// Cycles per vector to add a term in f32, or in f64 after a conversion.
constexpr double kNarrowCycles = 0.5;
constexpr double kWideCycles = 3;
/// Cycles per vector to store a result or a kept value.
constexpr double kStoreCycles = 1;

struct Setting {
  int64_t rows;
  int64_t vectors;
  int64_t terms;
};

/// Returns the number of vectors of the inner dimension.
int64_t vectorsOf(const RowProblem &problem, const Machine &machine) {
  return llvm::divideCeil(problem.inner, problem.width(machine.vectorBytes));
}

/// Returns the setting that the cost model prefers. Several short rows per step hide the latency of
/// combining lanes.
Setting ruleFor(const RowProblem &problem, const Machine &machine, bool isStrictMath) {
  int64_t count = vectorsOf(problem, machine);
  int64_t vectors = std::clamp<int64_t>(count, 1, kRuleVectors);
  int64_t rows = 1;
  while (rows < kMostRows && problem.rows() % (rows * 2) == 0 && count * rows <= kShortRow) {
    rows *= 2;
  }
  return {rows, std::max<int64_t>(vectors / rows, 1), isStrictMath ? 1 : kRuleTerms};
}

double cyclesOf(const RowProblem &problem, const Machine &machine, int64_t terms) {
  auto vectors =
      static_cast<double>(elementCount(problem.outer).value_or(0) * vectorsOf(problem, machine));
  double perRow = 0;
  for (const RowPass &pass : problem.passes) {
    auto sums = static_cast<double>(pass.reductions.size());
    double stores = kStoreCycles * static_cast<double>(pass.results.size() + pass.stored.size());
    double perVector = pass.cycles + stores + sums * (terms > 1 ? kNarrowCycles : kWideCycles);
    perRow += vectors * perVector + kPassCycles + sums * kLaneCycles;
  }
  return perRow * static_cast<double>(problem.rows());
}

class RowsTemplate : public MatchingTemplate<RowsAttr, RowKernel> {
public:
  int version() const override { return 1; }

protected:
  std::optional<RowKernel> match(Block &body, std::string &reason) const override {
    RowKernel own;
    reason = describeKernel(body, own.problem);
    return reason.empty() ? std::optional(std::move(own)) : std::nullopt;
  }

  /// Matches a copy, because the description changes the kernel.
  std::optional<RowKernel> matchFacts(const KernelFacts &facts,
                                      std::string &reason) const override {
    RowKernel own;
    reason = copyAndDescribe(facts.kernel, own);
    return reason.empty() ? std::optional(std::move(own)) : std::nullopt;
  }

  std::string whyNotConfig(const RowKernel &own, Block & /*body*/, RowsAttr config) const override {
    return own.problem.rows() % config.getRows() == 0
               ? ""
               : std::to_string(own.problem.rows()) + " rows are not a multiple of " +
                     std::to_string(config.getRows()) + " rows per step";
  }

  std::vector<ConfigChoice> chooseMatched(const KernelFacts &facts, const RowKernel &own,
                                          const Machine &machine) const override {
    Setting rule = ruleFor(own.problem, machine, facts.isStrictMath);
    return {{RowsAttr::get(facts.context(), rule.rows, rule.vectors, rule.terms), Attribute(),
             cyclesOf(own.problem, machine, rule.terms)}};
  }

  std::optional<Space> spaceOf(const KernelFacts &facts, const RowKernel &own,
                               const Machine &machine) const override {
    Setting rule = ruleFor(own.problem, machine, facts.isStrictMath);
    Space space;
    space.knobs = {{"rows", KnobKind::Ordered, {"rows"}, {{1}, {2}, {4}}},
                   {"vectors", KnobKind::Ordered, {"vectors"}, {{1}, {2}, {3}, {4}, {6}, {8}}},
                   {"terms", KnobKind::Ordered, {"terms"}, {{1}}}};
    if (rule.terms != 1) {
      addValue(space.knobs[2], {rule.terms});
    }
    int64_t rows = own.problem.rows();
    int64_t vectors = vectorsOf(own.problem, machine);
    space.constraints = {{"the number of rows is not a multiple of the rows per step",
                          [=](const Settings &s) { return rows % s[0] == 0; }},
                         {"a row has fewer vectors than a step",
                          [=](const Settings &s) { return s[1] <= vectors; }}};
    space.configure = [context = facts.context()](const Settings &s) {
      return RowsAttr::get(context, s[0], s[1], s[2]);
    };
    double narrow = cyclesOf(own.problem, machine, kRuleTerms);
    double wide = cyclesOf(own.problem, machine, 1);
    space.cycles = [=](const Settings &s) {
      return (s[2] > 1 ? narrow : wide) * strayFactor(s[0], rule.rows, /*perDoubling=*/0.02) *
             strayFactor(s[1], rule.vectors, /*perDoubling=*/0.02);
    };
    return space;
  }

  LogicalResult lowerMatched(task::KernelOp function, const RowKernel &own, RowsAttr config,
                             const Machine &machine) const override {
    return lowerRows(function, own.problem, config, machine);
  }
};

} // namespace

const KernelTemplate &rowsTemplate() { return onlyObject<RowsTemplate>(); }

} // namespace convoy::kernels
