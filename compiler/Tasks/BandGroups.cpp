// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts layers into bands and finds which layers to cut together. What is saved is what
// need not come back into the cache, where that is what a layer waits for; what it costs
// is weights that are read again for each band, and calls.

#include "Tasks/BandGroups.h"
#include <algorithm>
#include <numeric>

using namespace mlir;

namespace convoy::tasks {
namespace {

// From and to the cache behind a core's own: measured with depthwise layers, which do
// little else.
constexpr double kMissBytesPerNs = 24;
// Of what its layers take, a group must save so much: a model that is wrong by less than
// that costs nothing.
constexpr double kLeastGain = 0.1;
// A call over some rows and its way in and out of loops.
constexpr double kCallNs = 60;
// Of the cache: the rest is for what else passes through it.
constexpr double kCacheShare = 0.75;
// Groups are no longer than that, nor of more bands for each worker: code grows.
constexpr unsigned kMostLayers = 12;
constexpr unsigned kMostRounds = 64;
constexpr unsigned kTightRounds = 2;

/// Chunks of a layer such that all before them can be made of what is done.
int64_t chunksFrom(const Layer &layer, unsigned first, ArrayRef<int64_t> rowsDone, int64_t from) {
  int64_t best = from;
  for (int64_t chunk = from + 1; chunk < layer.steps.chunks(); ++chunk) {
    if (layer.steps.rowsBefore(chunk) == task::RowSteps::kNoCut) {
      continue;
    }
    for (const Layer::Input &input : layer.inputs) {
      if (input.from && *input.from >= first) {
        graph::Range read = layer.steps.readsOf(input.operand, 0, chunk, input.memory.rows);
        if (read.first + read.count > rowsDone[*input.from - first]) {
          return best;
        }
      }
    }
    best = chunk;
  }
  return best;
}

/// The first cut at or behind some share of the rows.
int64_t evenCut(const task::RowSteps &steps, unsigned band, unsigned bands) {
  int64_t wanted = steps.ends.back() * (band + 1) / bands;
  for (int64_t chunk = 0; chunk < steps.chunks(); ++chunk) {
    if (steps.rowsBefore(chunk) >= wanted) {
      return chunk;
    }
  }
  return steps.chunks();
}

bool readsGroup(const Layer &layer, unsigned first) {
  return llvm::any_of(
      layer.inputs, [&](const Layer::Input &input) { return input.from && *input.from >= first; });
}

/// Bytes that a layer touches in a band.
int64_t bytesIn(const Layer &layer, int64_t low, int64_t high) {
  int64_t rows = layer.steps.rowsBefore(high) - layer.steps.rowsBefore(low);
  int64_t bytes = layer.wholeBytes + rows * layer.result.rowBytes * layer.result.planes;
  for (const Layer::Input &input : layer.inputs) {
    graph::Range read = layer.steps.readsOf(input.operand, low, high, input.memory.rows);
    bytes += read.count * input.memory.rowBytes * input.memory.planes;
  }
  return bytes;
}

/// Bytes that a layer touches in all.
int64_t allBytes(const Layer &layer) { return bytesIn(layer, 0, layer.steps.chunks()); }

class GroupChooser {
public:
  GroupChooser(ArrayRef<Layer> layers, const BandLimits &limits) : layers(layers), limits(limits) {}

  /// The most that can be saved with the first layers, for each number of them.
  std::vector<BandGroup> run() {
    std::vector<double> best(layers.size() + 1, 0);
    std::vector<std::optional<BandGroup>> last(layers.size() + 1);
    for (unsigned end = 1; end <= layers.size(); ++end) {
      best[end] = best[end - 1];
      unsigned least = end > kMostLayers ? end - kMostLayers : 0;
      for (unsigned first = least; first + 1 < end; ++first) {
        std::optional<BandGroup> group = groupOf(first, end - first);
        double total = group ? best[first] + valueOf(*group) : 0;
        if (group && total > best[end]) {
          best[end] = total;
          last[end] = std::move(group);
        }
      }
    }
    std::vector<BandGroup> groups;
    for (unsigned end = layers.size(); end > 0;) {
      unsigned next = last[end] ? last[end]->first : end - 1;
      if (last[end]) {
        groups.push_back(std::move(*last[end]));
      }
      end = next;
    }
    std::reverse(groups.begin(), groups.end());
    return groups;
  }

private:
  /// When all are taken, long groups are better than many.
  double valueOf(const BandGroup &group) const {
    double links = static_cast<double>(group.ends.size()) - 1;
    return limits.takesAll ? 1e9 * links + group.totalNs() : group.totalNs();
  }

  /// As few bands as fit, a number for each worker.
  std::optional<BandGroup> groupOf(unsigned first, unsigned count) const {
    if (!canSave(first, count)) {
      return std::nullopt;
    }
    auto most = static_cast<int64_t>(kCacheShare * static_cast<double>(limits.cacheBytes));
    std::optional<BandGroup> tight; // does not fit; for those who want it all the same
    for (unsigned rounds = 1; rounds <= kMostRounds; rounds += (rounds + 3) / 4) {
      unsigned bands = std::max(2U, rounds * limits.workers);
      std::optional<BandGroup> group = cutLayers(layers, first, count, bands);
      if (!group) {
        break;
      }
      weigh(*group, bands);
      if (group->bandBytes <= most) {
        bool isWorthIt = group->totalNs() > kLeastGain * group->plainNs;
        return limits.takesAll || isWorthIt ? group : std::nullopt;
      }
      if (limits.takesAll && rounds <= kTightRounds) {
        tight = std::move(group);
      }
    }
    return tight;
  }

  /// Every layer has to do with another one, and some tensor between them would not
  /// have stayed in the cache anyway.
  bool canSave(unsigned first, unsigned count) const {
    bool isAny = limits.takesAll;
    std::vector<bool> isLinked(count, false);
    for (unsigned i = 0; i < count; ++i) {
      for (const Layer::Input &input : layers[first + i].inputs) {
        if (input.from && *input.from >= first) {
          isLinked[i] = isLinked[*input.from - first] = true;
          isAny = isAny || !isKept(*input.from, first + i);
        }
      }
    }
    return isAny && llvm::all_of(isLinked, [](bool is) { return is; });
  }

  /// Whether a tensor is still in the caches of all workers when it is read, without bands.
  bool isKept(unsigned from, unsigned to) const {
    int64_t bytes = 0;
    for (unsigned i = from + 1; i <= to; ++i) {
      bytes += allBytes(layers[i]);
    }
    return bytes <= limits.cacheBytes * static_cast<int64_t>(limits.workers);
  }

  /// A layer takes as long as it computes, or as its bytes come and go if that is longer.
  /// What is written goes to memory in either way, since each tensor has its own place.
  void weigh(BandGroup &group, unsigned bands) const {
    int64_t weights = 0;
    for (unsigned i = 0; i < group.ends.size(); ++i) {
      weights += layers[group.first + i].wholeBytes;
    }
    bool staysLoaded = weights + group.bandBytes <= limits.cacheBytes;
    auto rounds = static_cast<double>(bands) / limits.workers;
    group.savedNs.clear();
    group.plainNs = 0;
    for (unsigned i = 0; i < group.ends.size(); ++i) {
      const Layer &layer = layers[group.first + i];
      auto whole = static_cast<double>(layer.wholeBytes);
      auto written = 2 * static_cast<double>(layer.result.bytes()); // fetched first
      double plain = whole + written;
      double banded = (staysLoaded ? 1 : rounds) * whole + written;
      for (const Layer::Input &input : layer.inputs) {
        bool isInside = input.from && *input.from >= group.first;
        bool isKeptAnyway = isInside && isKept(*input.from, group.first + i);
        auto bytes = static_cast<double>(input.memory.bytes());
        plain += isKeptAnyway ? 0 : bytes;
        banded += isInside ? 0 : bytes;
      }
      double plainNs = std::max(layer.computeNs, plain / kMissBytesPerNs);
      double calls = static_cast<double>(layer.steps.outer) * bands;
      double bandedNs = std::max(layer.computeNs, banded / kMissBytesPerNs) + kCallNs * calls;
      group.plainNs += plainNs;
      group.savedNs.push_back(plainNs - bandedNs);
    }
  }

  ArrayRef<Layer> layers;
  BandLimits limits;
};

} // namespace

double BandGroup::totalNs() const { return std::accumulate(savedNs.begin(), savedNs.end(), 0.0); }

std::optional<BandGroup> cutLayers(ArrayRef<Layer> layers, unsigned first, unsigned count,
                                   unsigned bands) {
  BandGroup group;
  group.first = first;
  group.ends.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    auto isInside = [&](unsigned from) { return from >= first; };
    if (llvm::any_of(layers[first + i].wholeFrom, isInside)) {
      return std::nullopt;
    }
  }
  SmallVector<int64_t> rowsDone(count, 0);
  for (unsigned band = 0; band < bands; ++band) {
    bool isLast = band + 1 == bands;
    for (unsigned i = 0; i < count; ++i) {
      const Layer &layer = layers[first + i];
      int64_t before = band == 0 ? 0 : group.ends[i].back();
      int64_t end = isLast                     ? layer.steps.chunks()
                    : readsGroup(layer, first) ? chunksFrom(layer, first, rowsDone, before)
                                               : evenCut(layer.steps, band, bands);
      if (layer.steps.rowsBefore(end) == task::RowSteps::kNoCut) {
        return std::nullopt;
      }
      group.ends[i].push_back(end);
      rowsDone[i] = layer.steps.rowsBefore(end);
      group.bandBytes = std::max(group.bandBytes, bytesIn(layer, before, end));
    }
  }
  // One band with everything is none.
  for (const SmallVector<int64_t> &ends : group.ends) {
    if (ends.front() == ends.back() || ends[bands - 2] == 0) {
      return std::nullopt;
    }
  }
  return group;
}

std::vector<BandGroup> chooseGroups(ArrayRef<Layer> layers, const BandLimits &limits) {
  return GroupChooser(layers, limits).run();
}

} // namespace convoy::tasks
