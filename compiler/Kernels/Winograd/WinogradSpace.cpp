// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The space of Winograd convolution: both tiles, and around each setting that the
// model's rules give, what may still be faster.

#include "Kernels/Winograd/Nodes.h"
#include "Kernels/Winograd/WinogradModel.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// As in ConvDirectSpace.cpp.
constexpr double kStray = 0.01;
/// Scratch memory, in second-level caches: beyond, products would come from memory.
constexpr int64_t kMostCaches = 4;

/// The numbers of a point, in the order of the knobs.
enum { kTile, kVectors, kPixels, kTilesPerTask, kChunk, kPass, kUnroll };
/// Where the knob of passes is: a panel is two numbers.
constexpr size_t kPassKnob = kPass - 1;

WinogradModel::Choice choiceOf(const Settings &s) {
  return {s[kTile], s[kVectors], s[kPixels], s[kTilesPerTask], s[kChunk], s[kPass], s[kUnroll]};
}

/// Panels that fill registers with groups of tiles, or half of them.
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
  WinogradModel::Choice rule = model.rule(s[kTile], s[kVectors]);
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
      {"there is no transform for tiles of that size",
       [=](const Settings &s) { return canRunWinograd(p, s[kTile]); }},
      {"the panel does not divide the blocks of output channels",
       [=](const Settings &s) { return s[kVectors] > 0 && model.canCut(s[kVectors]); }},
      {"accumulators and weights need more vector registers than there are",
       [=](const Settings &s) {
         return s[kPixels] > 0 && s[kPixels] <= model.mostPixels(s[kVectors]);
       }},
      {"there are not so many tiles",
       [=](const Settings &s) {
         int64_t rule = model.rule(s[kTile], s[kVectors]).tilesPerTask;
         return s[kTilesPerTask] > 0 &&
                (s[kTilesPerTask] == rule || s[kTilesPerTask] < model.tiles(s[kTile]));
       }},
      {"chunk, pass and unroll must be positive, and unroll at most a block",
       [=](const Settings &s) {
         return s[kChunk] > 0 && s[kPass] > 0 && s[kUnroll] > 0 && s[kUnroll] <= m.lanes();
       }},
      {"scratch memory is more than four second-level caches",
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
