// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tables and computes the medians of searches on them.

#include "bench/tuning/MeasuredTask.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::tuning {
namespace {

double median(std::vector<double> values) {
  llvm::sort(values);
  return values[values.size() / 2];
}

} // namespace

llvm::Expected<std::vector<MeasuredTask>> readMeasuredTasks(llvm::ArrayRef<std::string> paths,
                                                            bool &hasStale) {
  std::vector<MeasuredTask> tasks;
  for (const std::string &path : paths) {
    llvm::Expected<ReplayTable> table = readTable(path);
    llvm::Expected<ReplaySpace> space = table ? replaySpace(*table) : table.takeError();
    if (!space) {
      return space.takeError();
    }
    if (!space->staleness.empty()) {
      llvm::errs() << path << ": the table is stale; measure it again: " << space->staleness
                   << "\n";
      hasStale = true;
    }
    tasks.push_back({table->task.name, table->weight, table->isHeldOut, std::move(*space)});
  }
  return tasks;
}

int reportStale() {
  llvm::outs() << "skipped: tables are stale; measure them again: ctest -L nightly -R "
                  "tuning-measure\n";
  return 77;
}

std::vector<double> medianShares(const MeasuredTask &task, llvm::StringRef searcher,
                                 llvm::ArrayRef<size_t> trials, llvm::ArrayRef<Example> examples,
                                 const ReplayRounds &rounds) {
  std::vector<std::vector<double>> byTrials(trials.size());
  for (uint64_t seed = 0; seed < kReplaySeeds; ++seed) {
    SearchOptions options;
    options.seed = seed;
    options.examples = examples.vec();
    std::vector<double> shares =
        llvm::cantFail(replay(task.space, searcher, options, trials, rounds));
    for (auto [all, share] : llvm::zip(byTrials, shares)) {
      all.push_back(share);
    }
  }
  std::vector<double> medians;
  for (const std::vector<double> &shares : byTrials) {
    medians.push_back(median(shares));
  }
  return medians;
}

MeasuredTask restricted(const MeasuredTask &task,
                        const std::function<bool(const SpaceEntry &)> &keep) {
  MeasuredTask result{task.name, task.weight, task.isHeldOut, {}};
  result.space.space.parts = task.space.space.parts;
  result.space.bestSeconds = task.space.bestSeconds;
  for (auto [entry, outcome] : llvm::zip(task.space.space.entries, task.space.outcomes)) {
    if (keep(entry)) {
      result.space.outcomes.push_back({result.space.space.entries.size(), outcome.seconds});
      result.space.space.entries.push_back(entry);
    }
  }
  return result;
}

std::vector<Example> examplesOf(const MeasuredTask &task, size_t trials) {
  const TaskSpace &space = task.space.space;
  std::unique_ptr<Searcher> searcher =
      llvm::cantFail(createSearcher(searcherNames().front(), space, SearchOptions()));
  std::vector<Example> examples;
  for (size_t round = 0; round * kSequential.batch < trials; ++round) {
    std::vector<Trial> outcomes;
    for (size_t entry : searcher->propose(kSequential.batch, static_cast<int64_t>(round))) {
      outcomes.push_back(task.space.outcomes[entry]);
      if (outcomes.back().seconds) {
        examples.push_back(exampleOf(space.entries[entry], *outcomes.back().seconds));
      }
    }
    searcher->update(outcomes);
  }
  center(examples);
  return examples;
}

} // namespace convoy::tuning
