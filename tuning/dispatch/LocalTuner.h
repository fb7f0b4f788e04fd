// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunes the tasks of a model on this machine. The search proposes rounds, and the dispatcher builds
// and measures their trials side by side. Each result is stored before the search receives it, so
// an interrupted search can continue.

#pragma once

#include "tuning/dispatch/LocalDispatcher.h"
#include "tuning/dispatch/SavedSearch.h"
#include "tuning/dispatch/TaskResults.h"

namespace convoy::tuning {

/// The settings that all tasks of a run share.
struct TuningSetup {
  targets::Target target;
  std::string folder; // for libraries and data; the caller removes it
  JobSearchOptions search;
  MeasurePlan plan;
  /// The CPUs to build on, one process each.
  std::vector<int> buildCpus = {-1, -1};
  /// Continue the search whose records are in the file. Only one tuner at a time may do so.
  bool continues = true;
};

struct TuningBudget {
  double seconds = 0; // of the search, without the final races; 0: no limit
  size_t leaders = 3; // per task, in its race
  /// Of all races together; the heaviest tasks race first. 0: no limit.
  double raceSeconds = 0;
  /// Stop when the estimated time of an inference is not longer; 0: never.
  double targetSeconds = 0;
  /// Called after each result; the search ends if it returns true.
  std::function<bool()> isInterrupted = [] { return false; };
};

/// The state of a search after a round.
struct TuningState {
  int64_t trials = 0; // of this run
  int64_t failed = 0;
  double seconds = 0; // without waitedSeconds
  /// The time spent waiting for an idle machine. No budget counts it.
  double waitedSeconds = 0;
  /// The time of the search without the final races. Building and measuring overlap: the sum of
  /// the times of all build processes, and the time of the measurements.
  double searchSeconds = 0, buildSeconds = 0, measureSeconds = 0;
  size_t builders = 0; // build processes
  /// The sum over the kernels whose default was measured: with the default configurations, and
  /// with the best ones.
  double defaultSeconds = 0;
  double bestSeconds = 0;
  /// The estimated time of one inference: the default time minus the savings of the best
  /// configurations; 0 if the default time is not known.
  double estimateSeconds = 0;
  std::string task; // of the round
  size_t tasksTried = 0;
  bool isTargetReached = false;
};

class LocalTuner {
public:
  using Report = std::function<void(const TuningState &)>;

  LocalTuner(const ModelTasks &tasks, const TuningSetup &setup, const TuningBudget &budget,
             Measurer &measurer, RecordStore &store, double modelSeconds = 0);

  /// Calls `report` after each round.
  llvm::Expected<TuningState> run(const Report &report);

private:
  /// A trial that is built or measured.
  struct Pending {
    SearchRound round;
    size_t place = 0;
    Record record;
    TrialWork work;
  };

  llvm::Error prepare();
  /// Creates the search and continues the one in the records. Returns false if they do not fit.
  llvm::Expected<bool> begin(llvm::ArrayRef<Record> records, size_t skipped);
  bool hasBudget() const;
  /// Returns the seconds of a clock that stops while the measurer waits for an idle machine.
  double clock() const;

  /// Proposes rounds as far as the look-ahead permits. Returns false if a stored trial has another
  /// configuration than the search proposes.
  bool proposeRounds();
  llvm::Error startTrials();
  llvm::Error searchAll(const Report &report);
  llvm::Error take(llvm::ArrayRef<Completion> completions, const Report &report);
  /// Starts the measurement of a built trial. Returns its record if the trial has ended.
  llvm::Expected<std::optional<Pending>> advance(const Completion &completion);
  llvm::Error finish(llvm::ArrayRef<Pending> ended, const Report &report);
  Record newRecord(size_t task, size_t entry, std::string id) const;
  TrialWork workFor(const Record &record, size_t task) const;

  /// Measures the best configurations of a task alternately, so that noise does not decide.
  llvm::Error raceAll();
  /// Starts the builds of the best configurations of a task.
  llvm::Expected<std::vector<Pending>> startRace(size_t task);
  llvm::Error awaitBuilds(llvm::ArrayRef<Pending> racers);
  llvm::Error runRace(std::vector<Pending> racers);
  void summarize();

  const ModelTasks &tasks;
  const TuningSetup &setup;
  const TuningBudget &budget;
  Measurer &measurer;
  RecordStore &store;
  double modelSeconds; // of one inference with the default configurations; 0: not known
  std::shared_ptr<const targets::Target> target;
  std::vector<std::shared_ptr<const layout::Task>> sharedTasks;
  SavedSearch saved;
  std::optional<JobSearch> search;
  std::vector<TaskResults> results;
  std::deque<Pending> unstarted;
  std::map<std::string, Pending> pending;  // by trial
  std::map<int64_t, size_t> missing;       // results by round
  std::map<std::string, Completion> built; // for races
  std::unique_ptr<LocalDispatcher> dispatcher;
  double start = 0;
  TuningState state;
};

} // namespace convoy::tuning
