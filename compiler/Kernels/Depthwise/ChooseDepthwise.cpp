// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the configuration of depthwise with the cost model: strips with all, one row or none of
// the weights in registers. The search space also varies the rows per task.

#include "Kernels/Depthwise/DepthwiseModel.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// The cost of leaving a rule; see ConvDirectSpace.cpp.
constexpr double kStray = 0.01;
/// A factor that ranks strips with too much code after all other strips.
constexpr double kMuchCode = 1000;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kHeld, kPixels, kRows };

std::array<int64_t, 3> heldRows(const ConvProblem &problem) { return {problem.kernelRows, 1, 0}; }

} // namespace

bool canRunDepthwise(const ConvProblem &problem) {
  return problem.isDepthwise() && problem.outputChannels == 1;
}

std::optional<Choice> chooseDepthwise(const ConvProblem &problem, const Machine &machine,
                                      MLIRContext *context) {
  if (!canRunDepthwise(problem)) {
    return std::nullopt;
  }
  DepthwiseModel model(problem, machine);
  std::optional<Choice> best;
  bool isBestShort = false;
  for (int64_t held : heldRows(problem)) {
    for (int64_t pixels = 1; pixels <= model.mostPixels(held); ++pixels) {
      auto [cycles, isShort] = model.estimate(held, pixels);
      if (!best || std::pair(!isShort, cycles) < std::pair(!isBestShort, best->cycles)) {
        best = {model.configure(held, pixels, model.ruleRows(), context), {}, cycles};
        isBestShort = isShort;
      }
    }
  }
  return best;
}

Space depthwiseSpace(const ConvProblem &problem, const Machine &machine, MLIRContext *context) {
  DepthwiseModel model(problem, machine);
  Space space;
  space.templateId = DepthwiseAttr::getMnemonic().str();
  space.version = kDepthwiseVersion;
  Knob held{"held", KnobKind::Unordered, {"held"}, {}};
  Knob pixels{"pixels", KnobKind::Ordered, {"pixels"}, {}};
  for (int64_t rows : heldRows(problem)) {
    addValue(held, {rows});
    for (int64_t count = 1; count <= model.mostPixels(rows); ++count) {
      addValue(pixels, {count});
    }
  }
  Knob rows{"rows", KnobKind::Ordered, {"rows"}, {{model.ruleRows()}}};
  for (int64_t count : {int64_t{1}, model.ruleRows() / 2, problem.outputRows}) {
    if (count > 0) {
      addValue(rows, {count});
    }
  }
  space.knobs = {held, pixels, rows};
  space.constraints = {
      {"the rows of weights kept in registers must be all, one or none",
       [=](const Settings &s) { return llvm::is_contained(heldRows(problem), s[kHeld]); }},
      {"accumulators and weights need more vector registers than the target has",
       [=](const Settings &s) {
         return s[kPixels] > 0 && s[kPixels] <= model.mostPixels(s[kHeld]);
       }},
      {"the result has fewer rows",
       [=](const Settings &s) { return s[kRows] > 0 && s[kRows] <= problem.outputRows; }},
  };
  space.configure = [=](const Settings &s) {
    return model.configure(s[kHeld], s[kPixels], s[kRows], context);
  };
  space.cycles = [=](const Settings &s) {
    auto [cycles, isShort] = model.estimate(s[kHeld], s[kPixels]);
    return cycles * (isShort ? 1 : kMuchCode) * strayFactor(s[kRows], model.ruleRows(), kStray);
  };
  return space;
}

Attribute depthwiseWeights(DepthwiseAttr config) {
  return ConvWeightsAttr::get(config.getContext(), config.getBlock(), /*i=*/1,
                              /*transposed=*/false);
}

} // namespace convoy::kernels
