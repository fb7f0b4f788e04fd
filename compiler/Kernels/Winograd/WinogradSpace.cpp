// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search space of winograd: both tile sizes, the parameters of the cost model's rules, and
// values near them that may be faster.

#include "Kernels/Winograd/Nodes.h"
#include "Kernels/Winograd/WinogradModel.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// The cost of leaving a rule; see ConvDirectSpace.cpp.
constexpr double kStray = 0.01;
/// Maximum scratch memory, in multiples of the second-level cache. With more, products would be
/// loaded from memory.
constexpr int64_t kMostCaches = 4;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kTile, kVectors, kPixels, kTilesPerTask, kChunk, kPass, kUnroll };
/// Index of the pass knob; the panel knob has two numbers.
constexpr size_t kPassKnob = kPass - 1;

WinogradModel::Parameters choiceOf(const Settings &s) {
  return {s[kTile], s[kVectors], s[kPixels], s[kTilesPerTask], s[kChunk], s[kPass], s[kUnroll]};
}

/// Returns panels whose groups of tiles fill all, three quarters or half of the registers.
Knob panelKnob(const WinogradModel &model) {
  Knob knob{"panel", KnobKind::Split, {"vectors", "pixels"}, {}};
  for (int64_t vectors : kPanelVectors) {
    int64_t most = model.mostPixels(vectors);
    for (int64_t pixels : {most, most * 3 / 4, most / 2}) {
      if (pixels > 0 && model.canCut(vectors)) {
        addValue(knob, {vectors, pixels});
      }
    }
  }
  return knob;
}

Knob tilesKnob(const WinogradModel &model) {
  Knob knob{"tilesPerTask", KnobKind::Ordered, {"tilesPerTask"}, {{14}, {28}, {56}, {112}}};
  for (int64_t vectors : kPanelVectors) {
    for (int64_t tile : {2, 4}) {
      if (model.canCut(vectors)) {
        addValue(knob, {model.rule(tile, vectors).tilesPerTask});
      }
    }
  }
  return knob;
}

double spaceCycles(const WinogradModel &model, const Settings &s, MLIRContext *context) {
  WinogradModel::Parameters rule = model.rule(s[kTile], s[kVectors]);
  double cycles = model.cycles(model.configure(choiceOf(s), context));
  if (s[kPixels] != rule.pixels) {
    double ruled = model.cycles(model.configure(rule, context));
    cycles = std::max(cycles, ruled) * (1 + kStray);
  }
  cycles *= strayFactor(s[kTilesPerTask], rule.tilesPerTask, kStray);
  cycles *= strayFactor(s[kChunk], rule.chunkChannels, kStray);
  cycles *= strayFactor(s[kPass], rule.passChannels, kStray);
  return cycles * strayFactor(s[kUnroll], rule.unroll, kStray);
}

std::vector<Constraint> constraintsOf(const ConvProblem &p, const WinogradModel &model,
                                      const Machine &m, MLIRContext *context) {
  return {
      {"the template does not support this tile size",
       [=](const Settings &s) { return canRunWinograd(p, s[kTile]); }},
      {"the panel does not divide the blocks of output channels",
       [=](const Settings &s) { return s[kVectors] > 0 && model.canCut(s[kVectors]); }},
      {"accumulators and weights need more vector registers than the target has",
       [=](const Settings &s) {
         return s[kPixels] > 0 && s[kPixels] <= model.mostPixels(s[kVectors]);
       }},
      {"the layer has fewer tiles",
       [=](const Settings &s) {
         int64_t rule = model.rule(s[kTile], s[kVectors]).tilesPerTask;
         return s[kTilesPerTask] > 0 &&
                (s[kTilesPerTask] == rule || s[kTilesPerTask] < model.tiles(s[kTile]));
       }},
      {"chunk, pass and unroll must be positive, and unroll must not exceed the block",
       [=](const Settings &s) {
         return s[kChunk] > 0 && s[kPass] > 0 && s[kUnroll] > 0 && s[kUnroll] <= m.lanes();
       }},
      {"scratch memory exceeds four times the second-level cache",
       [=](const Settings &s) {
         WinogradPlan plan(p, model.configure(choiceOf(s), context));
         return plan.scratchElements() * 4 <= kMostCaches * m.secondCacheBytes;
       }},
  };
}

} // namespace

Space winogradSpace(const ConvProblem &problem, const Machine &machine, MLIRContext *context) {
  WinogradModel model(problem, machine);
  int64_t block = machine.lanes();
  Space space;
  space.templateId = WinogradAttr::getMnemonic().str();
  space.version = kWinogradVersion;
  space.knobs = {{"tile", KnobKind::Unordered, {"tile"}, {{2}, {4}}},
                 panelKnob(model),
                 tilesKnob(model),
                 {"chunk", KnobKind::Ordered, {"chunkChannels"}, {{64}, {128}, {256}}},
                 {"pass", KnobKind::Ordered, {"passChannels"}, {{64}, {128}, {256}}},
                 {"unroll", KnobKind::Ordered, {"unroll"}, {{model.rule(4, 1).unroll}}}};
  addValue(space.knobs[kPassKnob], {model.rule(4, 1).passChannels});
  if (machine.hasLongVectors()) {
    addValue(space.knobs.back(), {model.rule(4, 1).unroll / 2});
  } else if (block >= 8) {
    addValue(space.knobs.back(), {block / 2});
  }
  space.constraints = constraintsOf(problem, model, machine, context);
  space.configure = [=](const Settings &s) { return model.configure(choiceOf(s), context); };
  space.cycles = [=](const Settings &s) { return spaceCycles(model, s, context); };
  return space;
}

} // namespace convoy::kernels
