// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search is greedy. Activations are made wide in the order of the squared error that this
// removes over the cost that it adds. Weights are made narrow in the order of the error that this
// adds over the bytes that it saves. Within each order the search looks for the number of changes
// by bisection, because each measurement runs the select split.

#include "quantizer/search/Search.h"
#include "quantizer/search/SortByKey.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::quantizer {
namespace {

/// The share of the limit that the predicted bound may use. The select split has separate noise,
/// and a plan that is chosen among several looks better on it than it is.
constexpr double kMargin = 0.9;
/// Least cost of a change, as a share of the whole cost. Without it, a change that the cost model
/// predicts to be free would be preferred to every other one.
constexpr double kLeastCost = 0.002;
/// The changes whose cost is predicted, as a multiple of those that may be made.
constexpr size_t kPricedPerChange = 2;

FittedPlan widened(FittedPlan candidate, llvm::ArrayRef<Widening> changes) {
  for (const Widening &change : changes) {
    for (const plan::ActivationPlan &activation : change.activations) {
      if (plan::ActivationPlan *found = candidate.plan.findActivation(activation.tensor)) {
        *found = activation;
      }
    }
  }
  return candidate;
}

FittedPlan narrowed(FittedPlan candidate, llvm::ArrayRef<Narrowing> changes) {
  for (const Narrowing &change : changes) {
    const std::string &tensor = change.weights.tensor;
    if (plan::WeightPlan *found = candidate.plan.findWeights(tensor)) {
      *found = change.weights;
    }
    candidate.fitted.integers.erase(tensor);
    if (!change.integers.empty()) {
      candidate.fitted.integers[tensor] = change.integers;
    }
    if (!change.bias.empty()) {
      candidate.fitted.biases[change.bias] = change.biasValues;
    }
  }
  return candidate;
}

/// Counts the activations of changes; a tie counts once per tensor.
int64_t countWide(llvm::ArrayRef<Widening> changes) {
  int64_t count = 0;
  for (const Widening &change : changes) {
    count += static_cast<int64_t>(change.activations.size());
  }
  return count;
}

class Searcher {
public:
  Searcher(const FittedPlan &start, std::vector<Widening> widenings,
           std::vector<Narrowing> narrowings, const SearchLimits &limits,
           const SearchFunctions &functions)
      : start(start), widenings(std::move(widenings)), narrowings(std::move(narrowings)),
        limits(limits), functions(functions) {}

  Result<SearchOutcome> run() {
    Result<TargetCost> base = functions.cost(start);
    if (!base) {
      return base.problems();
    }
    baseCost = *base;
    orderNarrowings();
    if (!chooseNarrow()) {
      return problems;
    }
    if (!isGood(trials.back()) && !widen()) {
      return problems;
    }
    return finish();
  }

private:
  /// A number of changes of each kind and what the select split says about them.
  struct Trial {
    size_t wide = 0, narrow = 0;
    Measurement measurement;
    double bound = 0;
  };

  FittedPlan candidateOf(size_t wide, size_t narrow) const {
    return widened(narrowed(start, llvm::ArrayRef(narrowings).take_front(narrow)),
                   llvm::ArrayRef(widenings).take_front(wide));
  }

  bool isGood(const Trial &trial) const { return trial.bound <= kMargin * limits.maxDrop; }

  /// Measures a candidate. Returns false after an error.
  bool measure(size_t wide, size_t narrow) {
    Result<Measurement> measured = functions.measure(candidateOf(wide, narrow));
    if (!measured) {
      problems = measured.problems();
      return false;
    }
    double bound = projectedBound(*measured, limits.proveSamples, limits.alpha);
    trials.push_back({wide, narrow, *measured, bound});
    return true;
  }

  void orderNarrowings() {
    auto errorPerElement = [](const Narrowing &change) {
      return change.error / static_cast<double>(std::max<int64_t>(change.elements, 1));
    };
    sortByKey(narrowings, errorPerElement);
  }

  /// Returns the least number of changes after which the demanded share of the bytes of the weights
  /// is in 4 bits.
  size_t leastNarrow() const {
    double wideBytes = 0, narrowBytes = 0;
    for (const Narrowing &change : narrowings) {
      wideBytes += static_cast<double>(change.elements);
    }
    size_t count = 0;
    while (count < narrowings.size() &&
           narrowBytes < limits.minNarrowShare * (narrowBytes + wideBytes)) {
      auto elements = static_cast<double>(narrowings[count++].elements);
      wideBytes -= elements;
      narrowBytes += elements / 2;
    }
    return count;
  }

  /// Finds the largest number of narrow layers that keeps the drop; the last trial has it.
  bool chooseNarrow() {
    size_t low = leastNarrow(), high = narrowings.size();
    if (!measure(0, high) || isGood(trials.back()) || low == high) {
      return !problems.hasErrors();
    }
    if (!measure(0, low)) {
      return false;
    }
    if (!isGood(trials.back())) {
      return true; // widen() continues from the least number
    }
    while (high - low > 1) {
      size_t middle = low + (high - low) / 2;
      if (!measure(0, middle)) {
        return false;
      }
      (isGood(trials.back()) ? low : high) = middle;
    }
    makeLast(0, low);
    return true;
  }

  /// Moves the trial with these numbers to the end of the list.
  void makeLast(size_t wide, size_t narrow) {
    for (size_t i = 0; i < trials.size(); ++i) {
      if (trials[i].wide == wide && trials[i].narrow == narrow) {
        Trial trial = trials[i];
        trials.erase(trials.begin() + static_cast<std::ptrdiff_t>(i));
        trials.push_back(trial);
        return;
      }
    }
  }

  /// Orders the widenings by the squared error removed over the cost added, and removes those that
  /// the target or the limits do not allow.
  void orderWidenings(size_t narrow) {
    sortByKey(widenings, [](const Widening &change) { return -change.error; });
    size_t priced = kPricedPerChange * static_cast<size_t>(std::max<int64_t>(limits.maxWide, 0));
    std::vector<std::pair<double, Widening>> scored;
    for (const Widening &change : llvm::ArrayRef(widenings).take_front(priced)) {
      FittedPlan candidate = narrowed(start, llvm::ArrayRef(narrowings).take_front(narrow));
      Result<TargetCost> cost = functions.cost(widened(std::move(candidate), change));
      // The compiler rejects what the target cannot run; such a change is no candidate.
      if (cost && isWithin(*cost)) {
        // Errors of several tensors add as squares.
        scored.emplace_back(change.error * change.error / addedCost(*cost), change);
      }
    }
    sortByKey(scored, [](const auto &change) { return -change.first; });
    widenings.clear();
    for (auto &[score, change] : scored) {
      if (countWide(widenings) + static_cast<int64_t>(change.activations.size()) <=
          limits.maxWide) {
        widenings.push_back(std::move(change));
      }
    }
  }

  bool isWithin(const TargetCost &cost) const {
    return (limits.workspaceBytes == 0 || cost.workspaceBytes <= limits.workspaceBytes) &&
           (limits.nanoseconds == 0 || cost.nanoseconds <= limits.nanoseconds);
  }

  /// Returns the cost that a change adds, as a share: half time, half bytes.
  double addedCost(const TargetCost &cost) const {
    auto bytes = [](const TargetCost &of) {
      return static_cast<double>(of.workspaceBytes + of.weightsBytes);
    };
    double time = baseCost.nanoseconds > 0 ? cost.nanoseconds / baseCost.nanoseconds - 1 : 0;
    double memory = bytes(baseCost) > 0 ? bytes(cost) / bytes(baseCost) - 1 : 0;
    return std::max((time + memory) / 2, kLeastCost);
  }

  /// Adds wide activations, doubling their number, until the trial is good. Then looks for the
  /// least number. Without a good trial, keeps the trial with the least bound.
  bool widen() {
    size_t narrow = trials.back().narrow;
    orderWidenings(narrow);
    size_t bad = 0, good = 0;
    for (size_t count = 1; bad < widenings.size() && good == 0; count *= 2) {
      size_t wide = std::min(count, widenings.size());
      if (!measure(wide, narrow)) {
        return false;
      }
      (isGood(trials.back()) ? good : bad) = wide;
    }
    while (good > bad + 1) {
      size_t middle = bad + (good - bad) / 2;
      if (!measure(middle, narrow)) {
        return false;
      }
      (isGood(trials.back()) ? good : bad) = middle;
    }
    good > 0 ? makeLast(good, narrow) : makeBestLast(narrow);
    return true;
  }

  /// Returns what the best of bad trials has least. The changed answers on a small select split are
  /// noisy. Labels are necessary to know whether a change is bad; without them the error of the
  /// output is the better criterion.
  static double badnessOf(const Trial &trial) {
    return trial.measurement.hasLabels ? trial.bound : trial.measurement.meanRelativeL2;
  }

  void makeBestLast(size_t narrow) {
    const Trial *best = nullptr;
    for (const Trial &trial : trials) {
      // A tie keeps fewer wide tensors, which are earlier in the list.
      if (trial.narrow == narrow && (!best || badnessOf(trial) < badnessOf(*best))) {
        best = &trial;
      }
    }
    makeLast(best->wide, best->narrow);
  }

  Result<SearchOutcome> finish() {
    const Trial &last = trials.back();
    SearchOutcome outcome;
    outcome.best = candidateOf(last.wide, last.narrow);
    outcome.measurement = last.measurement;
    outcome.isPromising = isGood(last);
    for (const Trial &trial : trials) {
      outcome.steps.push_back({countWide(llvm::ArrayRef(widenings).take_front(trial.wide)),
                               static_cast<int64_t>(trial.narrow), trial.measurement, trial.bound});
    }
    Result<TargetCost> cost = functions.cost(outcome.best);
    if (!cost) {
      return cost.problems();
    }
    outcome.cost = *cost;
    if (!isWithin(*cost)) {
      problems.addError(
          llvm::formatv("no plan is within the limits: the smallest one found takes {0:f3} ms and "
                        "{1} bytes of workspace on the target, expected at most {2} and {3}; raise "
                        "--max-latency or --max-ram, or choose another target",
                        cost->nanoseconds / 1e6, cost->workspaceBytes,
                        limits.nanoseconds > 0
                            ? llvm::formatv("{0:f3} ms", limits.nanoseconds / 1e6).str()
                            : "any time",
                        limits.workspaceBytes > 0 ? std::to_string(limits.workspaceBytes) + " bytes"
                                                  : "any number of bytes")
              .str());
      return problems;
    }
    return outcome;
  }

  FittedPlan start;
  std::vector<Widening> widenings;
  std::vector<Narrowing> narrowings;
  const SearchLimits &limits;
  const SearchFunctions &functions;
  TargetCost baseCost;
  std::vector<Trial> trials; // the last one is the current choice
  Problems problems;
};

} // namespace

Result<SearchOutcome> searchPlan(const FittedPlan &start, std::vector<Widening> widenings,
                                 std::vector<Narrowing> narrowings, const SearchLimits &limits,
                                 const SearchFunctions &functions) {
  return Searcher(start, std::move(widenings), std::move(narrowings), limits, functions).run();
}

} // namespace convoy::quantizer
