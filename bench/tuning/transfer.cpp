// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What records of one model are worth to another: the share of the best that a search
// reaches by itself, and with a quarter of the trials when it starts with what 100
// trials on each of the first tables have taught:
//
//     tuning_transfer TABLE.csv.gz... -- TABLE.csv.gz...
//
// Fails when, as a mean by weight, the quarter does not reach what the whole reached.

#include "bench/tuning/MeasuredTask.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace convoy::tuning;

namespace {

constexpr size_t kTaught = 100;
constexpr size_t kAlone[] = {0, 40, 100};
constexpr size_t kQuarter[] = {0, 10, 25};
/// Below what a measurement tells apart.
constexpr double kTolerance = 0.001;

void printRow(llvm::ArrayRef<double> alone, llvm::ArrayRef<double> quarter,
              const llvm::Twine &name) {
  for (auto [first, second] : llvm::zip(alone, quarter)) {
    llvm::outs() << llvm::format("  %6.1f %% %6.1f %%", 100 * first, 100 * second);
  }
  llvm::outs() << "  " << name << "\n";
}

/// Whether a quarter of the trials is enough.
bool compare(llvm::ArrayRef<MeasuredTask> tasks, llvm::ArrayRef<Example> examples) {
  llvm::StringRef searcher = searcherNames().front();
  std::vector<double> alone(std::size(kAlone), 0), quarter(std::size(kQuarter), 0);
  double weight = 0;
  for (const MeasuredTask &task : tasks) {
    std::vector<double> first = medianShares(task, searcher, kAlone);
    std::vector<double> second = medianShares(task, searcher, kQuarter, examples);
    printRow(first, second, task.name);
    weight += task.weight;
    for (size_t i = 0; i < alone.size(); ++i) {
      alone[i] += first[i] * task.weight;
      quarter[i] += second[i] * task.weight;
    }
  }
  bool isGood = true;
  for (size_t i = 0; i < alone.size(); ++i) {
    alone[i] /= weight;
    quarter[i] /= weight;
    isGood &= quarter[i] >= alone[i] - kTolerance;
  }
  printRow(alone, quarter, "mean by weight");
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
  llvm::outs() << "share of the best, alone and with " << examples.size()
               << " examples after a quarter of the trials:\n";
  for (auto [alone, quarter] : llvm::zip(kAlone, kQuarter)) {
    llvm::outs() << llvm::format("    %3zu     %3zu   ", alone, quarter);
  }
  llvm::outs() << "\n";
  bool isGood = compare(*to, examples);
  return hasStale ? reportStale() : isGood ? 0 : 1;
}
