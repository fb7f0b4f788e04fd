// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `attention`, its cost model and its search space. The model counts the instructions
// of both products per port and adds the passes over the scores.

#include "Kernels/Attention/Attention.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/MatchingTemplate.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Cycles from the operands of a multiply-add to its result.
constexpr double kFmaLatency = 4;
/// Loads per cycle.
constexpr double kLoads = 2;
/// Cycles per vector for the exponential and the sum, measured on a core with AVX-512.
constexpr double kExpCycles = 14;
/// Cycles per vector for each element-wise op on the scores, including its loads.
constexpr double kScoreOpCycles = 1.5;
/// Cycles per element that a strided load or store takes.
constexpr double kStridedCycles = 1;
/// Cycles per element to transpose with shuffles.
constexpr double kTransposedCycles = 0.4;
/// Cycles per vector to load, divide and store the results.
constexpr double kStoreCycles = 12;
/// Cycles per vector of scores that its loads and stores take if the scores are far from the core.
/// Measured with 1500 keys on a core with AVX-512.
constexpr double kFarScoreCycles = 4;
/// Scores are far if they exceed this multiple of the first-level cache. The hardware hides the
/// distance of fewer scores, because all passes over them are sequential.
constexpr int64_t kNearCaches = 2;
/// Cycles per vector to load, scale and store the results before a chunk.
constexpr double kScaleCycles = 3;
/// Cycles per vector of a mask to find out whether it excludes a chunk.
constexpr double kMaskCycles = 2;
/// Cycles of one iteration of a loop besides its body.
constexpr double kLoopCycles = 1;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kQueries, kVectors, kKeys, kChunk, kRows, kPack };

class AttentionModel {
public:
  AttentionModel(const AttentionProblem &p, const Machine &m)
      : p(p), m(m), first(static_cast<int64_t>(p.lead.size())),
        scoreOps(static_cast<double>(p.scoreOps)) {}

  int64_t mostKeys(int64_t vectors) const {
    int64_t most = (m.tileRegisters() - vectors - m.spreadRegisters()) / vectors;
    return std::clamp<int64_t>(most, 1, p.keys);
  }

  double cycles(const Settings &s) const {
    double blocks = static_cast<double>(p.heads() * ceilDiv(p.queries, s[kQueries]));
    return blocks * (packCycles(s) + neededShare(s) * (scoreCycles(s) + valueCycles(s)) +
                     maskCycles(s) + storeCycles(s));
  }

private:
  /// Returns the cycles of a tile of products for each step of its depth.
  double tileCycles(int64_t rows, int64_t vectors) const {
    double products = static_cast<double>(rows * vectors);
    double loads = static_cast<double>(rows + vectors) / kLoads;
    double latency = m.hasLongVectors() ? 0 : kFmaLatency;
    return std::max({products / static_cast<double>(m.multiplyAddsPerCycle()), loads, latency}) +
           kLoopCycles;
  }

  /// Copies of the queries and, once per head, of the values.
  double packCycles(const Settings &s) const {
    bool isStrided = p.query.view.stride(first) != 1 && p.query.view.stride(first + 1) != 1;
    double cycles = static_cast<double>(s[kQueries] * p.headSize) *
                    (isStrided ? kStridedCycles : kTransposedCycles);
    if (s[kPack] != 0) {
      double copied = static_cast<double>(p.keys * p.valueSize);
      bool isGathered = p.value.view.stride(first + 1) != 1;
      cycles += copied *
                (isGathered ? kStridedCycles : kLoopCycles / static_cast<double>(lanes())) /
                static_cast<double>(ceilDiv(p.queries, s[kQueries]));
    }
    return cycles;
  }

  double scoreCycles(const Settings &s) const {
    int64_t tiles = p.keys / s[kKeys];
    int64_t rest = p.keys % s[kKeys];
    double steps = static_cast<double>(tiles) * tileCycles(s[kKeys], s[kVectors]);
    steps += rest == 0 ? 0 : tileCycles(rest, s[kVectors]);
    double vectors = static_cast<double>(p.keys * s[kVectors]);
    bool isFar = s[kChunk] * s[kQueries] * 4 > kNearCaches * m.firstCacheBytes;
    return steps * static_cast<double>(p.headSize) +
           vectors * (kExpCycles + scoreOps * kScoreOpCycles + (isFar ? kFarScoreCycles : 0)) +
           chunkCycles(s);
  }

  /// Returns the share of the keys in chunks that a block of queries needs. The model assumes that
  /// a mask of queries and keys is causal: about half of the chunks are needed.
  double neededShare(const Settings &s) const {
    if (s[kChunk] == p.keys || !p.hasSquareMask()) {
      return 1;
    }
    auto diagonal = static_cast<double>(s[kChunk] + s[kQueries]);
    return std::min(1.0, (1 + diagonal / static_cast<double>(p.keys)) / 2);
  }

  double maskCycles(const Settings &s) const {
    bool isRead = s[kChunk] < p.keys && p.mask;
    return isRead ? static_cast<double>(p.keys * s[kVectors]) * kMaskCycles : 0;
  }

  double storeCycles(const Settings &s) const {
    return static_cast<double>(s[kQueries] * ceilDiv(p.valueSize, lanes())) * kStoreCycles;
  }

  /// Returns the cycles that several chunks take to scale the sums and the results.
  double chunkCycles(const Settings &s) const {
    if (s[kChunk] == p.keys) {
      return 0;
    }
    auto chunks = static_cast<double>(ceilDiv(p.keys, s[kChunk]));
    auto results = static_cast<double>(s[kQueries] * ceilDiv(p.valueSize, lanes()));
    return chunks * (static_cast<double>(s[kVectors]) * kExpCycles + results * kScaleCycles);
  }

  double valueCycles(const Settings &s) const {
    int64_t vectors = ceilDiv(p.valueSize, lanes());
    int64_t columns = columnVectors(s[kRows], vectors, m);
    int64_t panels = vectors / columns;
    double steps = static_cast<double>(panels) * tileCycles(s[kRows], columns);
    steps += vectors % columns == 0 ? 0 : tileCycles(s[kRows], vectors % columns);
    bool isGathered = s[kPack] == 0 && p.value.view.stride(first + 1) != 1;
    steps += isGathered ? static_cast<double>(p.valueSize) * kStridedCycles : 0;
    int64_t tiles = s[kQueries] / s[kRows];
    return static_cast<double>(tiles) * steps * static_cast<double>(p.keys);
  }

  /// Returns the lanes of a vector of values.
  int64_t lanes() const { return widthFor(p.valueSize, m.lanes()); }

  AttentionProblem p;
  Machine m;
  int64_t first;
  double scoreOps;
};

/// Returns blocks of whole vectors of queries. Shorter vectors waste fewer lanes if a head has few
/// queries.
Knob blockKnob(const AttentionProblem &p, const Machine &m) {
  constexpr int64_t kMostVectors = 5;
  Knob knob{"block", KnobKind::Split, {"queries", "vectors"}, {}};
  for (int64_t lanes = widthFor(p.queries, m.lanes()); lanes >= 1; lanes /= 2) {
    for (int64_t vectors = 1; vectors <= kMostVectors; ++vectors) {
      if (lanes * vectors <= p.queries) {
        addValue(knob, {lanes * vectors, vectors});
      }
    }
  }
  return knob;
}

Knob keysKnob(const AttentionProblem &p, const AttentionModel &model) {
  Knob knob{"keys", KnobKind::Ordered, {"keys"}, {}};
  for (int64_t keys : {1, 2, 4, 6, 8, 12}) {
    if (keys <= p.keys) {
      addValue(knob, {keys});
    }
  }
  for (int64_t vectors : {1, 2, 3, 4}) {
    addValue(knob, {model.mostKeys(vectors)});
  }
  return knob;
}

/// Returns chunks of all keys and, for long or masked sequences, shorter chunks.
Knob chunkKnob(const AttentionProblem &p, bool isStrictMath) {
  Knob knob{"chunk", KnobKind::Ordered, {"chunk"}, {{p.keys}}};
  for (int64_t chunk : {32, 64, 128, 256, 512}) {
    bool isUseful = chunk >= 128 || p.mask;
    if (chunk < p.keys && p.dividesLast() && !isStrictMath && isUseful) {
      addValue(knob, {ceilDiv(p.keys, ceilDiv(p.keys, chunk))}); // equal chunks
    }
  }
  return knob;
}

std::vector<Constraint> constraintsOf(const Machine &m, const AttentionModel &model) {
  return {
      {"the tile of scores needs more vector registers than the target has",
       [=](const Settings &s) { return s[kKeys] <= model.mostKeys(s[kVectors]); }},
      {"a chunk is smaller than a tile of keys",
       [=](const Settings &s) { return s[kKeys] <= s[kChunk]; }},
      {"the block is not a multiple of the rows of a tile",
       [=](const Settings &s) { return s[kQueries] % s[kRows] == 0; }},
      {"the tile of results needs more vector registers than the target has",
       [=](const Settings &s) {
         return s[kRows] + 1 + m.spreadRegisters() <= m.tileRegisters() || s[kRows] == 1;
       }},
  };
}

} // namespace

int64_t columnVectors(int64_t rows, int64_t vectors, const Machine &machine) {
  int64_t most = (machine.tileRegisters() - machine.spreadRegisters()) / (rows + 1);
  int64_t columns = std::clamp<int64_t>(most, 1, vectors);
  // Equal tiles of columns, because the last one determines the latency.
  return ceilDiv(vectors, ceilDiv(vectors, columns));
}

namespace {

class AttentionTemplate : public MatchingTemplate<AttentionAttr, AttentionProblem> {
public:
  int version() const override { return 2; }

  GroupMatch matchGroup(Operation *last) const override {
    auto product = dyn_cast<graph::MatMulOp>(last);
    if (!product) {
      return {};
    }
    AttentionMatch match = matchAttention(product);
    if (!match.problem) {
      return {{}, {}, match.hasSoftmax, match.reason};
    }
    return {match.problem->ops, match.problem->rowMasks, match.hasSoftmax, match.reason};
  }

  std::string remark(graph::KernelOp kernel) const override { return attentionRemark(kernel); }

protected:
  std::optional<AttentionProblem> match(Block &body, std::string &reason) const override {
    AttentionMatch match = matchAttentionKernel(body);
    reason = match.reason;
    return match.problem;
  }

  std::optional<AttentionProblem> matchFacts(const KernelFacts &facts,
                                             std::string &reason) const override {
    AttentionMatch match = matchAttentionKernel(facts.body());
    // Kernels that compute something else have the same reason for all templates.
    reason = match.hasSoftmax || facts.whyNotConv.empty() ? match.reason : facts.whyNotConv;
    return match.problem;
  }

  std::string whyNotConfig(const AttentionProblem &p, Block & /*body*/,
                           AttentionAttr config) const override {
    if (config.getQueries() > p.queries) {
      return "a block of " + std::to_string(config.getQueries()) +
             " queries exceeds the queries of a head, " + std::to_string(p.queries);
    }
    if (config.getKeys() > p.keys) {
      return "a tile of " + std::to_string(config.getKeys()) +
             " keys exceeds the keys of a head, " + std::to_string(p.keys);
    }
    if (config.getChunk() > p.keys) {
      return "a chunk of " + std::to_string(config.getChunk()) +
             " keys exceeds the keys of a head, " + std::to_string(p.keys);
    }
    if (config.getChunk() < p.keys && !p.dividesLast()) {
      return "ops between the softmax and the second product need all keys in one chunk";
    }
    return "";
  }

  /// The point with the fewest cycles is the default. With strict math, all keys are one chunk,
  /// because several chunks round differently and skip excluded keys.
  std::optional<Space> spaceOf(const KernelFacts &facts, const AttentionProblem &p,
                               const Machine &machine) const override {
    AttentionModel model(p, machine);
    Space space;
    space.knobs = {
        blockKnob(p, machine),
        keysKnob(p, model),
        chunkKnob(p, facts.isStrictMath),
        {"rows", KnobKind::Ordered, {"rows"}, {{1}, {2}, {4}, {8}, {16}, {5}, {6}, {12}}},
        {"pack", KnobKind::Unordered, {"pack"}, {{0}, {1}}}};
    space.constraints = constraintsOf(machine, model);
    space.configure = [context = facts.context()](const Settings &s) {
      return AttentionAttr::get(context, s[kQueries], s[kKeys], s[kChunk], s[kVectors], s[kRows],
                                s[kPack]);
    };
    space.cycles = [=](const Settings &s) { return model.cycles(s); };
    return space;
  }

  LogicalResult lowerMatched(task::KernelOp function, const AttentionProblem &problem,
                             AttentionAttr config, const Machine &machine) const override {
    return lowerAttention(function, problem, config, machine);
  }
};

} // namespace

const KernelTemplate &attentionTemplate() { return onlyObject<AttentionTemplate>(); }

} // namespace convoy::kernels
