// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays searches on measured tables and prints the median share of the best speed
// after some trials, weighted by the tasks' shares of their models:
//
//     tuning_replay [--rounds|--counts] TABLE.csv.gz...
//
// --counts states that the tables have counted instructions, which requires higher shares.
//
// Compares the rounds of `convoy tune`, which overlap, with a search that waits for all results of
// a round. --rounds compares more kinds of rounds and nothing else. Fails if the default search is
// below its required shares or if overlapping costs more than half a point. With stale tables, the
// test counts as skipped until `ctest -R tuning-measure` has measured them again.

#include "bench/tuning/MeasuredTask.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace convoy::tuning;

namespace {

/// The shares that the default search must reach, as a mean over tables.
struct Bar {
  size_t trials;
  double share;
};
using Bars = std::array<Bar, 4>;
constexpr Bars kBars = {{{0, 0.80}, {8, 0.90}, {40, 0.95}, {100, 0.99}}};
/// The shares for tables of counted instructions, which have no noise.
constexpr Bars kCountBars = {{{0, 0.90}, {8, 0.95}, {40, 0.99}, {100, 0.995}}};
/// The share that the compiler's default must reach on every table.
constexpr double kLeastOfTable = 0.70;

std::vector<size_t> barTrials() {
  std::vector<size_t> trials;
  for (const Bar &bar : kBars) {
    trials.push_back(bar.trials);
  }
  return trials;
}

void printRow(llvm::StringRef name, llvm::ArrayRef<double> shares) {
  llvm::outs() << llvm::left_justify(name, 12);
  for (double share : shares) {
    llvm::outs() << llvm::format("  %6.1f %%", 100 * share);
  }
}

/// Prints the default search on every table. Returns whether no table is below the minimum.
bool printTables(llvm::ArrayRef<MeasuredTask> tasks) {
  bool isGood = true;
  llvm::outs() << searcherNames().front() << ", table by table\n";
  for (const MeasuredTask &task : tasks) {
    std::vector<double> shares = medianShares(task, searcherNames().front(), barTrials());
    printRow("", shares);
    llvm::outs() << "  " << task.name << ", " << task.space.space.entries.size()
                 << " configurations" << (task.isHeldOut ? ", held out" : "") << "\n";
    if (shares.front() < kLeastOfTable) {
      llvm::outs() << llvm::format("missed: %.1f %% without a trial, at least %.0f %% wanted\n",
                                   100 * shares.front(), 100 * kLeastOfTable);
      isGood = false;
    }
  }
  return isGood;
}

std::vector<double> weightedMeans(llvm::ArrayRef<MeasuredTask> tasks, llvm::StringRef searcher,
                                  llvm::ArrayRef<size_t> trials,
                                  const ReplayRounds &rounds = kOverlapped) {
  std::vector<double> means(trials.size(), 0);
  double weight = 0;
  for (const MeasuredTask &task : tasks) {
    weight += task.weight;
    std::vector<double> shares = medianShares(task, searcher, trials, {}, rounds);
    for (auto [mean, share] : llvm::zip(means, shares)) {
      mean += share * task.weight;
    }
  }
  for (double &mean : means) {
    mean /= weight;
  }
  return means;
}

/// Prints a line for each search: weighted means over tables. Returns whether the default
/// search reaches its required shares.
bool printGroup(llvm::StringRef title, llvm::ArrayRef<MeasuredTask> tasks, const Bars &bars) {
  if (tasks.empty()) {
    return true;
  }
  llvm::outs() << "\n" << title << ", after";
  for (size_t trials : barTrials()) {
    llvm::outs() << " " << trials;
  }
  llvm::outs() << " trials\n";
  bool isGood = true;
  for (llvm::StringRef searcher : searcherNames()) {
    std::vector<double> means = weightedMeans(tasks, searcher, barTrials());
    printRow(searcher, means);
    llvm::outs() << "\n";
    if (searcher != searcherNames().front()) {
      continue;
    }
    printRow("  wanted", {bars[0].share, bars[1].share, bars[2].share, bars[3].share});
    llvm::outs() << "\n";
    for (auto [mean, bar] : llvm::zip(means, bars)) {
      isGood &= mean >= bar.share;
    }
  }
  return isGood;
}

/// Prints a line for each kind of rounds. Returns whether each one that the tuner uses loses at
/// most half a point against the sequential search.
bool printRounds(llvm::ArrayRef<MeasuredTask> tasks, bool isEvery) {
  constexpr size_t kTrials[] = {8, 16, 40};
  constexpr double kMostLoss = 0.005;
  std::vector<ReplayRounds> kinds = {kSequential, kOverlapped};
  if (isEvery) {
    kinds = {kSequential, {8, 1}, {8, 2}, {4, 0}, {4, 1}, {4, 2}, {4, 3}, {2, 1}};
  }
  llvm::outs() << "\nrounds, all tables, after 8 16 40 trials\n";
  double sequential = 0;
  bool isGood = true;
  for (const ReplayRounds &rounds : kinds) {
    std::vector<double> means = weightedMeans(tasks, searcherNames().front(), kTrials, rounds);
    printRow("", means);
    llvm::outs() << "  " << rounds.batch << " trials, look-ahead " << rounds.lookAhead << "\n";
    sequential = sequential == 0 ? means.back() : sequential;
    isGood &= isEvery || means.back() >= sequential - kMostLoss;
  }
  return isGood;
}

std::vector<MeasuredTask> group(llvm::ArrayRef<MeasuredTask> tasks, bool isHeldOut) {
  std::vector<MeasuredTask> result;
  llvm::copy_if(tasks, std::back_inserter(result),
                [&](const MeasuredTask &task) { return task.isHeldOut == isHeldOut; });
  return result;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: tuning_replay [--rounds|--counts] TABLE.csv.gz...\n";
    return 1;
  }
  bool isEvery = llvm::StringRef(argv[1]) == "--rounds";
  bool isCounted = llvm::StringRef(argv[1]) == "--counts";
  int first = isEvery || isCounted ? 2 : 1;
  bool hasStale = false;
  llvm::Expected<std::vector<MeasuredTask>> tasks =
      readMeasuredTasks(std::vector<std::string>(argv + first, argv + argc), hasStale);
  if (!tasks) {
    llvm::errs() << "error: " << llvm::toString(tasks.takeError()) << "\n";
    return 1;
  }
  if (isEvery) {
    return printRounds(*tasks, isEvery) ? 0 : 1;
  }
  bool isGood = printTables(*tasks);
  const Bars &bars = isCounted ? kCountBars : kBars;
  isGood &= printGroup("fitted", group(*tasks, /*isHeldOut=*/false), bars);
  isGood &= printGroup("held out", group(*tasks, /*isHeldOut=*/true), bars);
  isGood &= printRounds(*tasks, isEvery);
  llvm::outs() << (isGood ? "\nabove all bars\n" : "\nmissed: see above\n");
  return hasStale ? reportStale() : isGood ? 0 : 1;
}
