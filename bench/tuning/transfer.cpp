// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the value of one model's records for another model. Compares the share of the best
// speed that a search reaches alone, alone with a quarter of the trials, and with a quarter of
// the trials and a model trained on 100 trials of each of the first tables:
//
//     tuning_transfer TABLE.csv.gz... -- TABLE.csv.gz...
//
// Fails if, as a weighted mean, the trained search with a quarter of the trials is more than
// 0.5 % below the search with all trials. The goal is 0 %; README.md lists the results.

#include "bench/tuning/MeasuredTask.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace convoy::tuning;

namespace {

constexpr size_t kTaught = 100;
constexpr size_t kAlone[] = {40, 100};
constexpr size_t kQuarter[] = {10, 25};
constexpr double kTolerance = 0.005;

/// The shares of one task, or their means.
struct Shares {
  std::vector<double> whole, quarter, taught;

  explicit Shares(size_t count) : whole(count, 0), quarter(count, 0), taught(count, 0) {}

  void add(const Shares &other, double weight) {
    for (size_t i = 0; i < whole.size(); ++i) {
      whole[i] += weight * other.whole[i];
      quarter[i] += weight * other.quarter[i];
      taught[i] += weight * other.taught[i];
    }
  }

  void print(const llvm::Twine &name) const {
    for (size_t i = 0; i < whole.size(); ++i) {
      llvm::outs() << llvm::format("  %6.1f %6.1f %6.1f  ", 100 * whole[i], 100 * quarter[i],
                                   100 * taught[i]);
    }
    llvm::outs() << name << "\n";
  }
};

/// Returns whether a quarter of the trials is almost sufficient.
bool compare(llvm::ArrayRef<MeasuredTask> tasks, llvm::ArrayRef<Example> examples) {
  llvm::StringRef searcher = searcherNames().front();
  Shares mean(std::size(kAlone));
  double weight = 0;
  for (const MeasuredTask &task : tasks) {
    weight += task.weight;
  }
  for (const MeasuredTask &task : tasks) {
    Shares shares(std::size(kAlone));
    // The tasks of a network take turns, so the results of a task have arrived before its next
    // round, although the rounds of a search overlap.
    shares.whole = medianShares(task, searcher, kAlone, {}, kSequential);
    shares.quarter = medianShares(task, searcher, kQuarter, {}, kSequential);
    shares.taught = medianShares(task, searcher, kQuarter, examples, kSequential);
    shares.print(task.name);
    mean.add(shares, task.weight / weight);
  }
  mean.print("mean by weight");
  bool isGood = true;
  for (auto [whole, taught] : llvm::zip(mean.whole, mean.taught)) {
    isGood &= taught >= whole - kTolerance;
  }
  return isGood;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  auto middle = llvm::find(arguments, "--");
  if (middle == arguments.begin() || arguments.end() - middle < 2) {
    llvm::errs() << "usage: tuning_transfer TABLE.csv.gz... -- TABLE.csv.gz...\n";
    return 1;
  }
  bool hasStale = false;
  llvm::Expected<std::vector<MeasuredTask>> from =
      readMeasuredTasks(std::vector(arguments.begin(), middle), hasStale);
  llvm::Expected<std::vector<MeasuredTask>> to =
      from ? readMeasuredTasks(std::vector(middle + 1, arguments.end()), hasStale)
           : from.takeError();
  if (!to) {
    llvm::errs() << "error: " << llvm::toString(to.takeError()) << "\n";
    return 1;
  }
  std::vector<Example> examples;
  for (const MeasuredTask &task : *from) {
    llvm::append_range(examples, examplesOf(task, kTaught));
  }
  llvm::outs()
      << "% of the best speed: alone, alone with a quarter of the trials, and a quarter with "
      << examples.size() << " examples\n";
  for (auto [alone, quarter] : llvm::zip(kAlone, kQuarter)) {
    llvm::outs() << llvm::format("  %6zu %6zu %6zu  ", alone, quarter, quarter);
  }
  llvm::outs() << "trials\n";
  bool isGood = compare(*to, examples);
  return hasStale ? reportStale() : isGood ? 0 : 1;
}
