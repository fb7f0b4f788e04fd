// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays searches on measured tables and prints the median share of the best speed
// after some trials, weighted by the tasks' shares of their models:
//
//     tuning_replay TABLE.csv.gz...
//
// Fails if the default search is below its required shares. With stale tables, the test counts
// as skipped until `ctest -R tuning-measure` has measured them again.

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
constexpr Bar kBars[] = {{0, 0.80}, {8, 0.90}, {40, 0.95}, {100, 0.99}};
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

std::vector<double> weightedMeans(llvm::ArrayRef<MeasuredTask> tasks, llvm::StringRef searcher) {
  std::vector<double> means(std::size(kBars), 0);
  double weight = 0;
  for (const MeasuredTask &task : tasks) {
    weight += task.weight;
    for (auto [mean, share] : llvm::zip(means, medianShares(task, searcher, barTrials()))) {
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
bool printGroup(llvm::StringRef title, llvm::ArrayRef<MeasuredTask> tasks) {
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
    std::vector<double> means = weightedMeans(tasks, searcher);
    printRow(searcher, means);
    llvm::outs() << "\n";
    if (searcher != searcherNames().front()) {
      continue;
    }
    printRow("  wanted", {kBars[0].share, kBars[1].share, kBars[2].share, kBars[3].share});
    llvm::outs() << "\n";
    for (auto [mean, bar] : llvm::zip(means, kBars)) {
      isGood &= mean >= bar.share;
    }
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
    llvm::errs() << "usage: tuning_replay TABLE.csv.gz...\n";
    return 1;
  }
  bool hasStale = false;
  llvm::Expected<std::vector<MeasuredTask>> tasks =
      readMeasuredTasks(std::vector<std::string>(argv + 1, argv + argc), hasStale);
  if (!tasks) {
    llvm::errs() << "error: " << llvm::toString(tasks.takeError()) << "\n";
    return 1;
  }
  bool isGood = printTables(*tasks);
  isGood &= printGroup("fitted", group(*tasks, /*isHeldOut=*/false));
  isGood &= printGroup("held out", group(*tasks, /*isHeldOut=*/true));
  llvm::outs() << (isGood ? "\nabove all bars\n" : "\nmissed: see above\n");
  return hasStale ? reportStale() : isGood ? 0 : 1;
}
