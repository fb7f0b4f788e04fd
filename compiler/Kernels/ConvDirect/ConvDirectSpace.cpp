// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search space of conv_direct: the parameters of the cost model's rules and values near them
// that may be faster.

#include "Kernels/ConvDirect/ConvDirectModel.h"
#include "Kernels/Core/CeilDiv.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Maximum number of unrolled products per innermost step; more would only fill the instruction
/// cache.
constexpr int64_t kMostUnrolled = 512;
/// Maximum number of row lengths in the space, not counting the lengths of the rules.
constexpr size_t kMostColumns = 4;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kVectors, kPixels, kPasses, kUnroll, kColumns, kCut, kFetch };

ConvDirectModel::Parameters choiceOf(const Settings &s) {
  return {s[kVectors], s[kPixels],   s[kColumns],   s[kPasses],
          s[kUnroll],  s[kCut] != 0, s[kFetch] != 0};
}

} // namespace

Knob tileKnob(const ConvDirectModel &model) {
  Knob knob{"tile", KnobKind::Split, {"vectors", "pixels"}, {}};
  for (int64_t vectors : kTileVectors) {
    int64_t most = model.mostPixels(vectors);
    for (int64_t pixels : {most, most - 1, most * 3 / 4, most / 2}) {
      if (pixels > 0 && model.canCut(vectors)) {
        addValue(knob, {vectors, pixels});
      }
    }
  }
  return knob;
}

Knob columnsKnob(const ConvProblem &p, const ConvDirectModel &model, const Knob &tiles) {
  Knob knob{"columns", KnobKind::Ordered, {"columns"}, {{p.outputColumns}}};
  for (const std::vector<int64_t> &tile : tiles.values) {
    auto rows = model.planRows(tile[0], tile[1]);
    bool isRule = tile[1] == model.mostPixels(tile[0]);
    if (rows && (isRule || knob.values.size() < kMostColumns)) {
      addValue(knob, {rows->columns});
    }
  }
  return knob;
}

double tileCycles(const ConvDirectModel &model, int64_t vectors, int64_t pixels, int64_t columns) {
  double cycles = model.rowsCycles(vectors, pixels, columns);
  int64_t most = model.mostPixels(vectors);
  if (auto rows = model.planRows(vectors, most)) {
    bool isRule = pixels == most && columns == rows->columns;
    cycles = isRule ? cycles : std::max(cycles, rows->cycles) * (1 + kStray);
  }
  return cycles;
}

std::vector<Constraint> tileConstraints(const ConvProblem &p, const ConvDirectModel &model,
                                        const Machine &m, size_t columns) {
  return {
      {"accumulators, weights and pixels need more vector registers than the target has",
       [=](const Settings &s) {
         return s[kVectors] > 0 && s[kPixels] > 0 &&
                s[kVectors] * s[kPixels] + s[kVectors] + m.spreadRegisters() <= m.tileRegisters();
       }},
      {"the tile has more blocks of output channels than the layer",
       [=](const Settings &s) { return model.canCut(s[kVectors]); }},
      {"rows cannot be split or joined to this length",
       [=](const Settings &s) {
         int64_t length = s[columns];
         if (p.isMatrix) {
           return p.outputColumns % length == 0;
         }
         bool isWhole = length >= p.outputColumns && length % p.outputColumns == 0 &&
                        p.outputRows * p.outputColumns % length == 0;
         return isWhole && (length == p.outputColumns || model.joinsRows());
       }},
      {"a row has too many kinds of tiles, which would be too much code",
       [=](const Settings &s) {
         return model.rowsCycles(s[kVectors], s[kPixels], s[columns]) > 0;
       }},
      {"a tile with more pixels splits rows in the same way",
       [=](const Settings &s) {
         int64_t most = model.mostPixels(s[kVectors]);
         int64_t tiles = ceilDiv(s[columns], s[kPixels]);
         return s[kPixels] == most ||
                (tiles != ceilDiv(s[columns], most) && s[kPixels] == ceilDiv(s[columns], tiles));
       }},
  };
}

namespace {

Knob passesKnob(const ConvDirectModel &model, const Knob &tiles) {
  Knob knob{"passes", KnobKind::Ordered, {"passes"}, {{1}, {2}, {4}}};
  for (const std::vector<int64_t> &tile : tiles.values) {
    addValue(knob, {model.rule(tile[0], tile[1], 1).passes});
  }
  return knob;
}

Knob unrollKnob(const ConvDirectModel &model, const Knob &tiles) {
  Knob knob{"unroll", KnobKind::Ordered, {"unroll"}, {{4}, {8}, {16}}};
  for (const std::vector<int64_t> &tile : tiles.values) {
    addValue(knob, {model.rule(tile[0], tile[1], 1).unroll});
  }
  return knob;
}

/// Returns the model's estimate plus the cost of leaving its rules.
double spaceCycles(const ConvDirectModel &model, const Settings &s) {
  double cycles = tileCycles(model, s[kVectors], s[kPixels], s[kColumns]);
  ConvDirectModel::Parameters rule = model.rule(s[kVectors], s[kPixels], s[kColumns]);
  cycles *= strayFactor(s[kPasses], rule.passes, kStray);
  cycles *= strayFactor(s[kUnroll], rule.unroll, kStray);
  cycles *= (s[kCut] != 0) == rule.alongPanels ? 1 : 1 + kStray;
  cycles *= s[kFetch] != 0 ? 1 : 1 + kStray;
  return model.totalCycles(cycles, s[kVectors]);
}

std::vector<Constraint> constraintsOf(const ConvProblem &p, const ConvDirectModel &model,
                                      const Machine &m) {
  std::vector<Constraint> constraints = tileConstraints(p, model, m, kColumns);
  std::vector<Constraint> own = {
      {"the layer has too few input channels for this number of passes or this unroll",
       [=](const Settings &s) {
         int64_t blocks = ceilDiv(p.inputChannels, model.depthBlock());
         return s[kPasses] > 0 && s[kPasses] <= blocks && s[kUnroll] > 0 &&
                s[kUnroll] <= model.depthBlock() &&
                // Rounding to blocks must not reduce the number of passes.
                ceilDiv(p.inputChannels, model.depthOf(s[kPasses])) == s[kPasses];
       }},
      {"groups that are computed as one have one pass",
       [=](const Settings &s) { return s[kPasses] == 1 || !model.isJoined(); }},
      {"the code of one innermost step would be too long",
       [=](const Settings &s) {
         int64_t rule = model.rule(s[kVectors], s[kPixels], s[kColumns]).unroll;
         return s[kUnroll] <= rule || s[kUnroll] * s[kVectors] * s[kPixels] <= kMostUnrolled;
       }},
      {"the weights of a pass exceed the first-level cache",
       [=](const Settings &s) {
         int64_t bytes = model.depthOf(s[kPasses]) * p.taps() * s[kVectors] * m.lanes() * 4;
         int64_t rule = model.rule(s[kVectors], s[kPixels], s[kColumns]).passes;
         return s[kPasses] >= rule || bytes <= m.firstCacheBytes;
       }},
      {"the layer has only one panel, so tasks cannot be split along output channels",
       [=](const Settings &s) { return s[kCut] == 0 || model.panels(s[kVectors]) > 1; }},
  };
  llvm::append_range(constraints, own);
  return constraints;
}

} // namespace

Space convDirectSpace(const ConvProblem &layer, InputLayout input, bool isFlat,
                      const Machine &machine, MLIRContext *context) {
  ConvDirectModel model = ConvDirectModel::of(layer, input, isFlat, machine);
  ConvProblem problem = model.isJoined() ? joinGroups(layer) : layer;
  Space space;
  Knob tiles = tileKnob(model);
  space.knobs = {tiles,
                 passesKnob(model, tiles),
                 unrollKnob(model, tiles),
                 columnsKnob(problem, model, tiles),
                 {"cut", KnobKind::Unordered, {"alongPanels"}, {{0}, {1}}},
                 {"fetch", KnobKind::Unordered, {"isFetched"}, {{0}, {1}}}};
  space.constraints = constraintsOf(problem, model, machine);
  space.configure = [=](const Settings &s) { return model.configure(choiceOf(s), context); };
  space.cycles = [=](const Settings &s) { return spaceCycles(model, s); };
  return space;
}

} // namespace convoy::kernels
