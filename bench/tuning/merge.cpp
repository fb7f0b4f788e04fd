// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures what the merged records of several networks save. Each group of tables belongs to one
// network. The searches of a network start without examples, and with examples of all other
// networks: 100 trials of each of their tables. Prints the trials that a search needs to reach 95 %
// of the best speed, with ten seeds:
//
//     tuning_merge TABLE.csv.gz... -- TABLE.csv.gz... -- ...
//
// The compiler's default is known without a trial, so a table can need 0 trials.

#include "bench/tuning/MeasuredTask.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <numeric>
#include <random>

using namespace convoy::tuning;

namespace {

constexpr size_t kTaught = 100;
constexpr size_t kMostTrials = 100;
constexpr double kShares[] = {0.95, 0.99};

/// The trials to a share of the best speed, by seed. kMostTrials means that the share was not
/// reached.
using Trials = std::vector<double>;

double quantile(Trials values, double at) {
  llvm::sort(values);
  return values[static_cast<size_t>(at * static_cast<double>(values.size() - 1) + 0.5)];
}

Trials trialsTo(const MeasuredTask &task, llvm::ArrayRef<Example> examples, double share) {
  std::vector<size_t> counts(kMostTrials + 1);
  std::iota(counts.begin(), counts.end(), 0);
  Trials result;
  for (uint64_t seed = 0; seed < kReplaySeeds; ++seed) {
    SearchOptions options;
    options.seed = seed;
    options.examples = examples.vec();
    std::vector<double> shares =
        llvm::cantFail(replay(task.space, searcherNames().front(), options, counts, kSequential));
    auto first = llvm::find_if(shares, [&](double reached) { return reached >= share; });
    size_t needed =
        first == shares.end() ? kMostTrials : static_cast<size_t>(first - shares.begin());
    result.push_back(static_cast<double>(needed));
  }
  return result;
}

/// Prints the ratio of the sums of all tables with its 95 % interval by bootstrap over the seeds.
void printRatio(const Trials &alone, const Trials &merged, double share) {
  constexpr int kResamples = 10000;
  std::mt19937_64 random(1);
  Trials ratios;
  for (int i = 0; i < kResamples; ++i) {
    double with = 0, without = 0;
    for (size_t draw = 0; draw < alone.size(); ++draw) {
      with += merged[random() % merged.size()];
      without += alone[random() % alone.size()];
    }
    ratios.push_back(with / without);
  }
  double sumAlone = std::accumulate(alone.begin(), alone.end(), 0.0);
  double sumMerged = std::accumulate(merged.begin(), merged.end(), 0.0);
  auto seeds = static_cast<double>(alone.size());
  llvm::outs() << llvm::format("%.0f %%: all tables %.1f trials alone, %.1f merged, ratio %.3f "
                               "(95 %% interval %.3f .. %.3f)\n",
                               100 * share, sumAlone / seeds, sumMerged / seeds,
                               sumMerged / sumAlone, quantile(ratios, 0.025),
                               quantile(ratios, 0.975));
}

void compare(llvm::ArrayRef<std::vector<MeasuredTask>> networks, double share) {
  Trials alone(kReplaySeeds, 0), merged(kReplaySeeds, 0);
  for (const std::vector<MeasuredTask> &network : networks) {
    std::vector<Example> examples;
    for (const std::vector<MeasuredTask> &other : networks) {
      for (const MeasuredTask &task : &other == &network ? std::vector<MeasuredTask>() : other) {
        llvm::append_range(examples, examplesOf(task, kTaught));
      }
    }
    for (const MeasuredTask &task : network) {
      Trials without = trialsTo(task, {}, share), with = trialsTo(task, examples, share);
      for (const Trials *trials : {&without, &with}) {
        llvm::outs() << llvm::format("  %4.0f (%.0f .. %.0f)", quantile(*trials, 0.5),
                                     quantile(*trials, 0.25), quantile(*trials, 0.75));
      }
      llvm::outs() << "  " << task.name << "\n";
      for (size_t seed = 0; seed < kReplaySeeds; ++seed) {
        alone[seed] += without[seed];
        merged[seed] += with[seed];
      }
    }
  }
  printRatio(alone, merged, share);
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::vector<std::string>> groups(1);
  for (llvm::StringRef word : llvm::ArrayRef(argv + 1, argv + argc)) {
    if (word == "--") {
      groups.emplace_back();
    } else {
      groups.back().push_back(word.str());
    }
  }
  if (groups.size() < 2) {
    llvm::errs() << "usage: tuning_merge TABLE.csv.gz... -- TABLE.csv.gz... [-- ...]\n";
    return 1;
  }
  bool hasStale = false;
  std::vector<std::vector<MeasuredTask>> networks;
  for (const std::vector<std::string> &group : groups) {
    llvm::Expected<std::vector<MeasuredTask>> tasks = readMeasuredTasks(group, hasStale);
    if (!tasks) {
      llvm::errs() << "error: " << llvm::toString(tasks.takeError()) << "\n";
      return 1;
    }
    networks.push_back(std::move(*tasks));
  }
  for (double share : kShares) {
    llvm::outs() << llvm::format("trials to %.0f %% of the best speed, alone and merged: median "
                                 "and quartiles of %d seeds\n",
                                 100 * share, static_cast<int>(kReplaySeeds));
    compare(networks, share);
  }
  return hasStale ? reportStale() : 0;
}
