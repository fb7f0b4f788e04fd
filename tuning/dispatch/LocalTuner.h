// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunes a model's tasks on this machine, one batch of one task after the other: the
// simplest way to command the stages of TaskTuner.h. What was measured is on the disk
// after each batch.

#pragma once

#include "tuning/dispatch/TaskTuner.h"

namespace convoy::tuning {

struct TuningBudget {
  int64_t trials = 0; // in all; 0: no bound
  double seconds = 0; // of the search, without the final races; 0: no bound
  size_t batch = 8;
  size_t leaders = 3; // of each task, in its race
  /// Of the races in all, the heaviest tasks' first; 0: no bound.
  double raceSeconds = 0;
  /// Enough when the model is estimated to take no longer; 0: never.
  double targetSeconds = 0;
  /// Asked after each batch: whether to end without more.
  std::function<bool()> isInterrupted = [] { return false; };
};

/// After each batch.
struct TuningState {
  int64_t trials = 0;
  int64_t failed = 0;
  double seconds = 0; // without waitedSeconds
  /// Waiting for an idle machine, which no budget counts.
  double waitedSeconds = 0;
  /// Of the search, without the final races: in all, and the parts of it that go into
  /// building and measuring.
  double searchSeconds = 0, buildSeconds = 0, measureSeconds = 0;
  /// Of the kernels whose default was measured so far, one after the other: as the compiler
  /// would do it, and the best of each.
  double defaultSeconds = 0;
  double bestSeconds = 0;
  /// Of one inference: what it took before, without what the best of each task saves; 0 when
  /// the first is not known.
  double estimateSeconds = 0;
  std::string task; // that the batch was of
  size_t tasksTried = 0;
  bool isTargetReached = false;
};

/// Which task to give the next batch to.
class TaskPolicy {
public:
  virtual ~TaskPolicy() = default;
  /// An index, or nothing when all are done.
  virtual std::optional<size_t> next(llvm::ArrayRef<TaskTuner> tuners) = 0;
};

/// Each task once; then the one from which a batch can be expected to save the most of
/// the model's time, by how much its last batch did.
class GainPolicy : public TaskPolicy {
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

  llvm::Expected<TuningState> run(TaskPolicy &policy, const Report &report);

private:
  llvm::Error prepare();
  bool hasBudget() const;
  /// A clock in seconds that stands still while the measurer waits for an idle machine.
  double clock() const;
  llvm::Error runBatch(TaskTuner &tuner);
  /// The best of a task beside each other, so that noise does not choose.
  llvm::Error raceLeaders(TaskTuner &tuner);
  llvm::Error raceAll();
  llvm::Error keep(llvm::ArrayRef<PendingTrial> trials);
  void summarize();

  const ModelTasks &tasks;
  const TuningSetup &setup;
  const TuningBudget &budget;
  Measurer &measurer;
  RecordStore &store;
  double modelSeconds; // of one inference by default; 0: not known
  std::vector<TaskTuner> tuners;
  TuningState state;
};

} // namespace convoy::tuning
