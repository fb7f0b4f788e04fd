// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model and the search space of winograd. With few tiles, the products are bound by
// loading weights from memory. This decides between tiles of 4, tiles of 2 and direct convolution.
// The space contains the parameters of the model's rules, and values near them that may be faster.

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Winograd/Winograd.h"
#include "Kernels/Winograd/WinogradPlan.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr int64_t kFmaLatency = 4;
constexpr double kLoadsPerCycle = 2;
/// Measured share of the product cycles that are multiplications.
constexpr double kProductShare = 0.9;
/// Bytes of weights per cycle that one core loads from outside its own caches. In a network, no
/// weights remain in these caches from the previous inference.
constexpr double kWeightBytesPerCycle = 4.5;
constexpr double kTieShare = 0.02;
/// Measured cycles per vector of the input and output transforms, including cache misses.
constexpr double kInputCycles = 6;
constexpr double kOutputCycles = 4;
/// Channels per pass, so that 16 KiB of weights stay in the first-level cache.
constexpr int64_t kPassChannels = 128;
/// Numbers of tiles per task. A task takes all tiles if there are at most kFewTiles; otherwise it
/// takes kEnoughTiles, which reuses weights enough. With more tiles, the input would leave the
/// second-level cache.
constexpr int64_t kFewTiles = 56;
constexpr int64_t kEnoughTiles = 28;
/// Maximum number of output channels per task.
constexpr int64_t kChunkChannels = 128;
/// Channels per innermost step with long vectors; see ConvDirectModel.cpp.
constexpr int64_t kLongStepDepth = 8;
/// Number of tasks with long vectors.
constexpr int64_t kLongTasks = 64;

/// Numbers of output-channel blocks per panel that the chooser tries.
constexpr int64_t kPanelVectors[] = {1, 2, 3, 4, 5, 6, 7};

class WinogradModel {
public:
  WinogradModel(const ConvProblem &problem, const Machine &machine)
      : p(problem), m(machine), block(machine.lanes()) {}

  /// The parameters that distinguish configurations.
  struct Parameters {
    int64_t tile, vectors;
    int64_t pixels;        // maximum tiles per group, before groups are balanced
    int64_t tilesPerTask;  // approximate
    int64_t chunkChannels; // maximum output channels per task
    int64_t passChannels;  // approximate input channels per pass
    int64_t unroll;
  };

  /// Returns the maximum number of tiles per group that fit in registers.
  int64_t mostPixels(int64_t vectors) const {
    // Targets with short vectors have enough registers to keep one free.
    int64_t spread = m.hasLongVectors() ? m.spreadRegisters() : 1;
    return (m.tileRegisters() - vectors - spread) / vectors;
  }
  /// Returns whether `vectors` divides the blocks of output channels. Otherwise the last panel
  /// would multiply padding.
  bool canCut(int64_t vectors) const {
    return ceilDiv(p.outputChannels, block) % vectors == 0 && mostPixels(vectors) > 0;
  }

  int64_t tiles(int64_t tile) const {
    return p.batch * ceilDiv(p.outputRows, tile) * ceilDiv(p.outputColumns, tile);
  }

  /// Returns the parameters that the rules set for this tile and panel.
  Parameters rule(int64_t tile, int64_t vectors) const {
    int64_t count = tiles(tile);
    if (m.hasLongVectors()) {
      // Long vectors stream weights past all caches, so one pass suffices.
      int64_t all = std::max<int64_t>(p.inputChannels, 1);
      return {tile,           vectors, mostPixels(vectors), longTilesPerTask(tile, vectors),
              kChunkChannels, all,     kLongStepDepth};
    }
    return {tile,
            vectors,
            mostPixels(vectors),
            count <= kFewTiles ? count : kEnoughTiles,
            kChunkChannels,
            kPassChannels,
            block};
  }

  WinogradAttr configure(const Parameters &choice, MLIRContext *context) const {
    int64_t count = tiles(choice.tile);
    int64_t pixels = ceilDiv(count, ceilDiv(count, choice.pixels));
    int64_t groups = ceilDiv(count, pixels);
    int64_t perTask =
        choice.tilesPerTask >= count ? groups : std::max<int64_t>(choice.tilesPerTask / pixels, 1);
    perTask = ceilDiv(groups, ceilDiv(groups, perTask));
    int64_t panels = ceilDiv(p.outputChannels, block * choice.vectors);
    int64_t passes = ceilDiv(p.inputChannels, choice.passChannels);
    int64_t depth = ceilDiv(ceilDiv(p.inputChannels, passes), block) * block;
    return WinogradAttr::get(context, block, choice.tile, choice.vectors, pixels, perTask,
                             panelsPerTask(choice, panels, ceilDiv(groups, perTask)), depth,
                             choice.unroll);
  }

  double cycles(WinogradAttr config) const {
    WinogradPlan plan(p, config);
    return productCycles(plan, config) + transformCycles(plan, config);
  }

private:
  /// Returns the tiles per task. With long vectors there are few panels, so tasks are split along
  /// groups of tiles.
  int64_t longTilesPerTask(int64_t tile, int64_t vectors) const {
    int64_t count = tiles(tile);
    int64_t pixels = ceilDiv(count, ceilDiv(count, std::max<int64_t>(mostPixels(vectors), 1)));
    int64_t panels = ceilDiv(p.outputChannels, block * vectors);
    return std::max<int64_t>(ceilDiv(count, pixels) * panels / kLongTasks, 1) * pixels;
  }

  /// Returns the panels per task, so that a chunk has few channels and the number of tasks balances
  /// the load.
  int64_t panelsPerTask(const Parameters &choice, int64_t panels, int64_t tileBlocks) const {
    constexpr int64_t kFewTasks = 8;
    constexpr int64_t kManyTasks = 32;
    int64_t most = std::max<int64_t>(choice.chunkChannels / (choice.vectors * block), 1);
    for (int64_t perTask = std::min(most, panels); perTask > 1; --perTask) {
      int64_t tasks = tileBlocks * (panels / perTask);
      bool isShared = tasks >= kManyTasks || (tasks >= kFewTasks && tasks % 2 == 0);
      if (panels % perTask == 0 && isShared) {
        return perTask;
      }
    }
    return 1;
  }

  double productCycles(const WinogradPlan &plan, WinogradAttr config) const {
    double vectors = static_cast<double>(config.getVectors());
    double latency = m.hasLongVectors() ? 0 : kFmaLatency; // long vectors hide the latency
    auto step = [&](int64_t tiles) {
      double pixels = static_cast<double>(tiles);
      return std::max({vectors * pixels / static_cast<double>(m.multiplyAddsPerCycle()),
                       (vectors + pixels) / kLoadsPerCycle, latency});
    };
    double steps = static_cast<double>(plan.longer) * step(plan.groupTiles) +
                   static_cast<double>(plan.groups - plan.longer) * step(plan.groupTiles - 1);
    auto rows = static_cast<double>(plan.frequencies * plan.panels * p.inputChannels);
    double weightBytes = rows * vectors * static_cast<double>(block * 4);
    double multiply = rows * steps / kProductShare;
    if (m.hasLongVectors()) {
      return multiply; // in vector instructions, as in all models of long vectors
    }
    double fetch = weightBytes / kWeightBytesPerCycle;
    // Multiplications and loads overlap. The second term breaks ties in favor of less work.
    return std::max(multiply, fetch) + kTieShare * std::min(multiply, fetch);
  }

  double transformCycles(const WinogradPlan &plan, WinogradAttr config) const {
    auto vectors = static_cast<double>(plan.frequencies * plan.tiles);
    return vectors * (kInputCycles * static_cast<double>(plan.inputBlocks) +
                      kOutputCycles * static_cast<double>(plan.outputBlocks));
  }

  ConvProblem p;
  Machine m;
  int64_t block;
};

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
         // The tasks of a round share the memory of a whole layer, which no configuration reduces.
         return plan.hasRounds || plan.scratchElements() * 4 <= kMostCaches * m.secondCacheBytes;
       }},
  };
}

} // namespace

// Tries each panel with the cost model and takes all other parameters from its rules. This finds
// the point with the lowest estimate without enumerating the space.
std::optional<ConfigChoice> chooseWinogradTile(const ConvProblem &problem, const Machine &machine,
                                               int64_t tile, MLIRContext *context) {
  if (!isForWinograd(problem, machine)) {
    return std::nullopt;
  }
  WinogradModel model(problem, machine);
  std::optional<ConfigChoice> best;
  for (int64_t vectors : kPanelVectors) {
    if (!model.canCut(vectors)) {
      continue;
    }
    WinogradAttr config = model.configure(model.rule(tile, vectors), context);
    double cycles = model.cycles(config);
    if (!best || cycles < best->cycles) {
      best = ConfigChoice{config, {}, cycles};
    }
  }
  return best;
}

std::optional<ConfigChoice> chooseWinograd(const ConvProblem &problem, const Machine &machine,
                                           MLIRContext *context) {
  std::optional<ConfigChoice> small = chooseWinogradTile(problem, machine, /*tile=*/2, context);
  std::optional<ConfigChoice> large = chooseWinogradTile(problem, machine, /*tile=*/4, context);
  return small && large && large->cycles < small->cycles ? large : small;
}

Space winogradSpace(const ConvProblem &problem, const Machine &machine, MLIRContext *context) {
  WinogradModel model(problem, machine);
  int64_t block = machine.lanes();
  Space space;
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
