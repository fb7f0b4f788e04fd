// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the search strategies. The default is `mixed`. It starts with the first entries
// in analytical order that differ enough from each other, because the analytical order is
// mostly right. Then half of each batch comes from a model of the measurements, because either
// order alone stops improving where it is wrong. The model cannot judge parts of the space
// without measurements, so the search also tries each part from time to time.

#include "tuning/search/Neighbors.h"
#include "tuning/search/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <numeric>

namespace convoy::tuning {
namespace {

/// Proposes random entries. It is the baseline for the other strategies.
class RandomSearcher : public Progress {
public:
  RandomSearcher(const TaskSpace &space, const SearchOptions &options)
      : Progress(space, options.seed) {}

private:
  std::optional<size_t> next(size_t) override { return std::nullopt; }
};

/// Proposes entries in analytical order.
class OrderSearcher : public Progress {
public:
  OrderSearcher(const TaskSpace &space, const SearchOptions &options)
      : Progress(space, options.seed) {}

private:
  std::optional<size_t> next(size_t) override {
    while (!isFree(at)) {
      ++at;
    }
    return at;
  }
  size_t at = 0;
};

/// Covers all knobs evenly: entries in the order of their settings, halves first, then
/// quarters, and so on.
class GridSearcher : public Progress {
public:
  GridSearcher(const TaskSpace &space, const SearchOptions &options)
      : Progress(space, options.seed), order(space.entries.size()) {
    std::vector<size_t> places(order.size());
    std::iota(places.begin(), places.end(), size_t{0});
    llvm::sort(places, [&](size_t a, size_t b) {
      const SpaceEntry &left = space.entries[a], &right = space.entries[b];
      return std::tie(left.part, left.settings) < std::tie(right.part, right.settings);
    });
    // Bit-reversed positions: 0, 1/2, 1/4, 3/4, 1/8 ...
    unsigned bits = 0;
    while ((size_t{1} << bits) < order.size()) {
      ++bits;
    }
    size_t filled = 0;
    for (size_t i = 0; i < size_t{1} << bits; ++i) {
      size_t reversed = 0;
      for (unsigned bit = 0; bit < bits; ++bit) {
        reversed |= (i >> bit & 1) << (bits - 1 - bit);
      }
      if (reversed < order.size()) {
        order[filled++] = places[reversed];
      }
    }
  }

private:
  std::optional<size_t> next(size_t) override {
    while (!isFree(order[at])) {
      ++at;
    }
    return order[at];
  }
  std::vector<size_t> order;
  size_t at = 0;
};

/// Changes one knob of the best entries so far, or combines two of them.
class EvolutionSearcher : public Progress {
public:
  EvolutionSearcher(const TaskSpace &space, const SearchOptions &options)
      : Progress(space, options.seed), neighbors(space) {}

private:
  std::optional<size_t> next(size_t) override {
    constexpr size_t kParents = 12;
    constexpr size_t kAttempts = 8;
    constexpr double kRandomShare = 0.1; // of the points, which have no parent
    if (ranked.empty() || happens(kRandomShare)) {
      return std::nullopt;
    }
    for (size_t attempt = 0; attempt < kAttempts; ++attempt) {
      size_t parents = std::min(kParents, ranked.size());
      size_t mother = ranked[below(parents)].entry;
      size_t father = ranked[below(parents)].entry;
      std::optional<size_t> child = happens(0.5) ? cross(mother, father) : mutate(mother);
      if (child && isFree(*child)) {
        return child;
      }
    }
    return std::nullopt;
  }

  std::optional<size_t> mutate(size_t parent) {
    std::vector<size_t> near = neighbors.of(parent);
    return near.empty() ? std::nullopt : std::optional(near[below(near.size())]);
  }

  std::optional<size_t> cross(size_t mother, size_t father) {
    const SpaceEntry &a = space.entries[mother], &b = space.entries[father];
    if (a.part != b.part) {
      return std::nullopt;
    }
    kernels::Settings settings = a.settings;
    size_t at = 0;
    for (size_t width : space.parts[a.part].widths) {
      if (happens(0.5)) {
        std::copy_n(b.settings.begin() + at, width, settings.begin() + at);
      }
      at += width;
    }
    return neighbors.find(a.part, settings);
  }

  Neighbors neighbors;
};

/// Changes one knob at a time while the time improves, then restarts at the next entry in
/// analytical order.
class DescentSearcher : public Progress {
public:
  DescentSearcher(const TaskSpace &space, const SearchOptions &options)
      : Progress(space, options.seed), neighbors(space) {}

private:
  void prepare() override {
    // Moves to the best entry among the start and its neighbors.
    queue.clear();
    for (const Trial &trial : ranked) {
      for (size_t near : neighbors.of(trial.entry)) {
        if (isFree(near)) {
          queue.push_back(near);
        }
      }
      if (!queue.empty()) {
        return;
      }
    }
  }

  std::optional<size_t> next(size_t place) override {
    for (; !queue.empty(); queue.erase(queue.begin())) {
      if (isFree(queue.front())) {
        return queue.front();
      }
    }
    for (size_t i = 0; i < space.entries.size(); ++i) {
      if (isFree(i)) {
        return i;
      }
    }
    return std::nullopt;
  }

  Neighbors neighbors;
  std::vector<size_t> queue;
};

class MixedSearcher : public Progress {
public:
  MixedSearcher(const TaskSpace &space, const SearchOptions &options)
      : Progress(space, options.seed), known(options.examples), model(createTreeModel()) {
    for (const SpaceEntry &entry : space.entries) {
      features.push_back(featuresOf(entry));
    }
  }

private:
  /// The number of trials in analytical order before the model is used.
  static constexpr size_t kFirst = 8;
  /// The minimum number of knobs in which the first entries differ, and the maximum ratio of
  /// their estimate to the first estimate.
  static constexpr size_t kUnlike = 2;
  static constexpr double kLikely = 1.5;
  /// The assumed time of a failed trial, relative to the slowest successful trial.
  static constexpr double kFailure = 2;
  /// The share of random entries among the proposals of the model.
  static constexpr double kExplore = 0.2;

  void prepare() override {
    byModel.clear();
    modelAt = 0;
    if (proposedCount() < kFirst && known.empty()) {
      return;
    }
    std::vector<Example> examples = ownExamples();
    // Examples of other tasks select the first trials. Later they would outweigh the task's
    // own trials.
    if (trials.size() < kFirst) {
      llvm::append_range(examples, known);
    }
    if (!examples.empty()) {
      train(std::move(examples));
      rank();
    }
  }

  std::vector<Example> ownExamples() const {
    std::vector<Example> examples;
    for (const Trial &trial : trials) {
      if (double seconds = secondsOf(trial)) {
        examples.push_back(exampleOf(space.entries[trial.entry], seconds));
      }
    }
    center(examples);
    return examples;
  }

  /// Trains the model on the results. Then it answers for the pending proposals, so that the next
  /// training weighs their part of the space.
  void train(std::vector<Example> examples) {
    model->train(examples);
    if (pending.empty()) {
      return;
    }
    std::vector<Features> open;
    for (size_t entry : pending) {
      open.push_back(features[entry]);
    }
    for (auto [row, slowness] : llvm::zip(open, model->predict(open))) {
      examples.push_back({row, slowness});
    }
    model->train(examples);
  }

  /// Sorts the entries by the time that the model predicts.
  void rank() {
    std::vector<float> slowness = model->predict(features);
    byModel.resize(space.entries.size());
    std::iota(byModel.begin(), byModel.end(), size_t{0});
    std::vector<double> seconds;
    for (auto [entry, slow] : llvm::zip(space.entries, slowness)) {
      seconds.push_back(std::log(std::max(entry.cycles, 1.0)) + slow);
    }
    llvm::sort(byModel, [&](size_t a, size_t b) {
      return std::tuple(seconds[a], a) < std::tuple(seconds[b], b);
    });
  }

  /// Returns 0 if there is no successful trial yet.
  double secondsOf(const Trial &trial) const {
    if (trial.seconds) {
      return *trial.seconds;
    }
    return ranked.empty() ? 0 : kFailure * *ranked.back().seconds;
  }

  std::optional<size_t> next(size_t place) override {
    if (isFree(0)) {
      return 0; // the compiler's default is the baseline
    }
    if (proposedCount() < kFirst) {
      return firstUnlike(/*byTaught=*/!byModel.empty() && place % 2 == 1);
    }
    bool isModels = !byModel.empty() && place % 2 == 1;
    if (isModels && happens(kExplore)) {
      return std::nullopt;
    }
    if (isModels) {
      while (!isFree(byModel[modelAt])) {
        ++modelAt;
      }
      return byModel[modelAt];
    }
    // The estimate is least accurate across templates and layouts, and the Layout stage needs
    // results for each. Every second proposal in analytical order therefore goes to the part
    // with the fewest trials.
    if (!byModel.empty() && place % 4 == 2) {
      return firstOfLeastTried();
    }
    return firstInOrder();
  }

  size_t firstInOrder() {
    while (!isFree(orderAt)) {
      ++orderAt;
    }
    return orderAt;
  }

  /// Returns the first free entry that is not similar to a proposed one, because an error of
  /// the estimate also affects similar entries. The order is the order of the model trained on
  /// other tasks, or the analytical order.
  size_t firstUnlike(bool byTaught) {
    for (size_t i = 0; i < space.entries.size(); ++i) {
      size_t entry = byTaught ? byModel[i] : i;
      bool isLikely = byTaught || space.entries[entry].cycles <= kLikely * space.first().cycles;
      if (isLikely && isFree(entry) &&
          llvm::none_of(pending, [&](size_t other) { return isLike(entry, other); }) &&
          llvm::none_of(trials, [&](const Trial &other) { return isLike(entry, other.entry); })) {
        return entry;
      }
    }
    return firstInOrder();
  }

  /// Returns whether two entries belong to the same part and differ in fewer than kUnlike
  /// knobs.
  bool isLike(size_t a, size_t b) const {
    const SpaceEntry &left = space.entries[a], &right = space.entries[b];
    if (left.part != right.part) {
      return false;
    }
    size_t at = 0, differing = 0;
    for (size_t width : space.parts[left.part].widths) {
      differing += !std::equal(left.settings.begin() + at, left.settings.begin() + at + width,
                               right.settings.begin() + at);
      at += width;
    }
    return differing < kUnlike;
  }

  /// Returns the first free entry, in analytical order, of the part with the fewest proposals.
  std::optional<size_t> firstOfLeastTried() const {
    std::vector<size_t> tried(space.parts.size(), 0);
    std::vector<size_t> first(space.parts.size(), space.entries.size());
    for (size_t i = space.entries.size(); i-- > 0;) {
      size_t part = space.entries[i].part;
      isFree(i) ? first[part] = i : ++tried[part];
    }
    std::optional<size_t> least;
    for (size_t part = 0; part < first.size(); ++part) {
      if (first[part] < space.entries.size() && (!least || tried[part] < tried[*least])) {
        least = part;
      }
    }
    return least ? std::optional(first[*least]) : std::nullopt;
  }

  std::vector<Example> known;
  std::unique_ptr<CostModel> model;
  std::vector<Features> features;
  std::vector<size_t> byModel; // entries, fastest first according to the model
  size_t modelAt = 0, orderAt = 0;
};

template <typename S>
std::unique_ptr<Searcher> make(const TaskSpace &space, const SearchOptions &options) {
  return std::make_unique<S>(space, options);
}

struct Known {
  llvm::StringLiteral name;
  std::unique_ptr<Searcher> (*make)(const TaskSpace &, const SearchOptions &);
};

constexpr Known kSearchers[] = {
    {"mixed", make<MixedSearcher>},         {"order", make<OrderSearcher>},
    {"random", make<RandomSearcher>},       {"grid", make<GridSearcher>},
    {"evolution", make<EvolutionSearcher>}, {"descent", make<DescentSearcher>},
};

} // namespace

llvm::ArrayRef<llvm::StringRef> searcherNames() {
  static const std::vector<llvm::StringRef> kNames = [] {
    std::vector<llvm::StringRef> names;
    for (const Known &known : kSearchers) {
      names.push_back(known.name);
    }
    return names;
  }();
  return kNames;
}

llvm::Expected<std::unique_ptr<Searcher>>
createSearcher(llvm::StringRef name, const TaskSpace &space, const SearchOptions &options) {
  for (const Known &known : kSearchers) {
    if (known.name == name) {
      return known.make(space, options);
    }
  }
  return llvm::createStringError("unknown search strategy '" + name + "'; expected one of " +
                                 llvm::join(searcherNames(), ", "));
}

std::vector<Trial> bestPerLayouts(const TaskSpace &space, llvm::ArrayRef<Trial> trials,
                                  double reorderSeconds) {
  std::map<std::pair<std::string, std::string>, Trial> best;
  for (const Trial &trial : trials) {
    if (!trial.seconds) {
      continue;
    }
    const Configuration &c = space.entries[trial.entry].configuration;
    auto [found, isNew] = best.try_emplace({c.inputLayout, c.outputLayout}, trial);
    if (!isNew && *trial.seconds < *found->second.seconds) {
      found->second = trial;
    }
  }
  std::vector<Trial> result;
  for (const auto &[layouts, trial] : best) {
    result.push_back(trial);
  }
  llvm::sort(result, [](const Trial &a, const Trial &b) {
    return std::tuple(*a.seconds, a.entry) < std::tuple(*b.seconds, b.entry);
  });
  llvm::erase_if(result,
                 [&, fastest = result.empty() ? 0 : *result.front().seconds](const Trial &trial) {
                   return *trial.seconds > fastest + reorderSeconds;
                 });
  return result;
}

} // namespace convoy::tuning
