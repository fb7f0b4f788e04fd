// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunes the tasks of a model on this machine, one batch of one task at a time. It runs the stages
// of TaskTuner.h in sequence and stores the records after each batch.

#pragma once

#include "tuning/dispatch/TaskTuner.h"

namespace convoy::tuning {

struct TuningBudget {
  int64_t trials = 0; // in total; 0: no limit
  double seconds = 0; // of the search, without the final races; 0: no limit
  size_t batch = 8;
  size_t leaders = 3; // per task, in its race
  /// Of all races together; the heaviest tasks race first. 0: no limit.
  double raceSeconds = 0;
  /// Stop when the estimated time of an inference is not longer; 0: never.
  double targetSeconds = 0;
  /// Called after each batch; the search ends if it returns true.
  std::function<bool()> isInterrupted = [] { return false; };
};

/// The state of a search after a batch.
struct TuningState {
  int64_t trials = 0;
  int64_t failed = 0;
  double seconds = 0; // without waitedSeconds
  /// The time spent waiting for an idle machine. No budget counts it.
  double waitedSeconds = 0;
  /// The time of the search without the final races: in total, and the parts for building and for
  /// measuring.
  double searchSeconds = 0, buildSeconds = 0, measureSeconds = 0;
  /// The sum over the kernels whose default was measured: with the default configurations, and
  /// with the best ones.
  double defaultSeconds = 0;
  double bestSeconds = 0;
  /// The estimated time of one inference: the default time minus the savings of the best
  /// configurations; 0 if the default time is not known.
  double estimateSeconds = 0;
  std::string task; // of the batch
  size_t tasksTried = 0;
  bool isTargetReached = false;
};

/// Selects the task of the next batch.
class BatchPolicy {
public:
  virtual ~BatchPolicy() = default;
  /// Returns an index, or nothing if all tasks are done.
  virtual std::optional<size_t> next(llvm::ArrayRef<TaskTuner> tuners) = 0;
};

/// Selects each task once, then the task whose next batch is expected to save the most time of the
/// model, estimated from its last batch.
class BatchGainPolicy : public BatchPolicy {
public:
  std::optional<size_t> next(llvm::ArrayRef<TaskTuner> tuners) override;
};

class LocalTuner {
public:
  using Report = std::function<void(const TuningState &)>;

  LocalTuner(const ModelTasks &tasks, const TuningSetup &setup, const TuningBudget &budget,
             Measurer &measurer, RecordStore &store, double modelSeconds = 0)
      : tasks(tasks), setup(setup), budget(budget), measurer(measurer), store(store),
        modelSeconds(modelSeconds) {}

  llvm::Expected<TuningState> run(BatchPolicy &policy, const Report &report);

private:
  llvm::Error prepare();
  bool hasBudget() const;
  /// Returns the seconds of a clock that stops while the measurer waits for an idle machine.
  double clock() const;
  llvm::Error runBatch(TaskTuner &tuner);
  /// Measures the best configurations of a task alternately, so that noise does not decide.
  llvm::Error raceLeaders(TaskTuner &tuner);
  llvm::Error raceAll();
  llvm::Error keep(llvm::ArrayRef<PendingTrial> trials);
  void summarize();

  const ModelTasks &tasks;
  const TuningSetup &setup;
  const TuningBudget &budget;
  Measurer &measurer;
  RecordStore &store;
  double modelSeconds; // of one inference with the default configurations; 0: not known
  std::vector<TaskTuner> tuners;
  TuningState state;
};

} // namespace convoy::tuning
