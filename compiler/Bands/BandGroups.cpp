// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits layers into bands and finds the layers to split together. Bands save loads into the cache,
// if a layer is bound by them. Bands cost additional calls, and weights that are read again for
// each band.

#include "Bands/BandGroups.h"
#include <algorithm>
#include <numeric>

using namespace mlir;

namespace convoy::bands {
namespace {

// Bandwidth between a core's own caches and the next level, measured with depthwise layers, which
// are bound by it.
constexpr double kMissBytesPerNs = 24;
// Minimum gain of a group, relative to the time of its layers. Errors of the model below this gain
// do no harm.
constexpr double kLeastGain = 0.1;
// Nanoseconds of a call over some rows, including its loop overhead.
constexpr double kCallNs = 60;
// Share of the cache that a band may use; the remainder is for other data.
constexpr double kCacheShare = 0.75;
// Limits on the layers per group and the bands per worker, which bound the code size.
constexpr unsigned kMostLayers = 12;
constexpr unsigned kMostRounds = 64;
constexpr unsigned kTightRounds = 2;

/// Returns the largest number of chunks of a layer whose inputs are complete in the previous layers
/// of the group.
int64_t chunksFrom(const Layer &layer, unsigned first, ArrayRef<int64_t> rowsDone, int64_t from) {
  int64_t best = from;
  for (int64_t chunk = from + 1; chunk < layer.steps.chunks(); ++chunk) {
    if (layer.steps.rowsBefore(chunk) == task::RowSteps::kNoCut) {
      continue;
    }
    for (const Layer::Input &input : layer.inputs) {
      if (input.from && *input.from >= first) {
        graph::IndexRange read = layer.steps.readsOf(input.operand, 0, chunk, input.memory.rows);
        if (read.first + read.count > rowsDone[*input.from - first]) {
          return best;
        }
      }
    }
    best = chunk;
  }
  return best;
}

/// Returns the first cut at or after an even share of the rows.
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

/// Returns the bytes that a layer accesses in a band.
int64_t bytesIn(const Layer &layer, int64_t low, int64_t high) {
  int64_t rows = layer.steps.rowsBefore(high) - layer.steps.rowsBefore(low);
  int64_t bytes = layer.wholeBytes + rows * layer.result.rowBytes * layer.result.planes;
  for (const Layer::Input &input : layer.inputs) {
    graph::IndexRange read = layer.steps.readsOf(input.operand, low, high, input.memory.rows);
    bytes += read.count * input.memory.rowBytes * input.memory.planes;
  }
  return bytes;
}

/// Returns the bytes that a layer accesses in total.
int64_t allBytes(const Layer &layer) { return bytesIn(layer, 0, layer.steps.chunks()); }

class GroupChooser {
public:
  GroupChooser(ArrayRef<Layer> layers, const BandLimits &limits) : layers(layers), limits(limits) {}

  /// Finds by dynamic programming, for each prefix of the layers, the groups that save the most.
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
  /// Returns the value of a group. If `takesAll` is set, longer groups are preferred.
  double valueOf(const BandGroup &group) const {
    double links = static_cast<double>(group.ends.size()) - 1;
    return limits.takesAll ? 1e9 * links + group.totalNs() : group.totalNs();
  }

  /// Returns the group with the fewest bands that fit in the cache; the number of bands is a
  /// multiple of the workers.
  std::optional<BandGroup> groupOf(unsigned first, unsigned count) const {
    if (!canSave(first, count)) {
      return std::nullopt;
    }
    auto most = static_cast<int64_t>(kCacheShare * static_cast<double>(limits.cacheBytes));
    std::optional<BandGroup> tight; // does not fit in the cache; used only if takesAll is set
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

  /// Returns whether bands can save time: every layer is connected to another layer of the group,
  /// and at least one tensor between them would not stay in the cache without bands.
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

  /// Returns whether, without bands, a tensor is still in the caches of the workers when it is
  /// read.
  bool isKept(unsigned from, unsigned to) const {
    int64_t bytes = 0;
    for (unsigned i = from + 1; i <= to; ++i) {
      bytes += allBytes(layers[i]);
    }
    return bytes <= limits.cacheBytes * static_cast<int64_t>(limits.workers);
  }

  /// Estimates the time of each layer with and without bands: the maximum of its computation and
  /// its memory traffic. Results are written to memory in both cases, because each tensor has its
  /// own memory.
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
      auto written =
          2 * static_cast<double>(layer.result.bytes()); // a write first loads the cache line
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
  // Reject groups that have all rows of a layer in one band.
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

} // namespace convoy::bands
