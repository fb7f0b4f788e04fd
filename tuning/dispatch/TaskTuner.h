// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunes one task in separate stages: propose, build, measure, update. The caller decides when each
// stage runs; LocalTuner.h does so on one machine.

#pragma once

#include "tuning/build/BuildBatch.h"
#include "tuning/search/Experience.h"
#include "tuning/measure/TaskData.h"
#include "tuning/records/RecordStore.h"
#include "tuning/search/Searcher.h"
#include "tuning/space/ModelTasks.h"

namespace convoy::tuning {

/// Returns the compiler version that is stored in records, such as "convoy 0.2.0".
llvm::StringRef compilerVersion();

/// The settings that all tasks of a run share.
struct TuningSetup {
  targets::Target target;
  std::string folder; // for libraries and data; the caller removes it
  std::string searcher = "mixed";
  uint64_t seed = 0;
  MeasurePlan plan;
  int jobs = 2; // parallel builds
  /// Training examples that tasks share; null: each task starts without examples.
  Experience *experience = nullptr;
};

/// A proposed configuration and its results.
struct PendingTrial {
  size_t entry = 0;
  Record record;                      // with the outcome, once measured
  std::optional<Candidate> candidate; // built
};

class TaskTuner {
public:
  static llvm::Expected<TaskTuner> create(const ModelTask &task, const TuningSetup &setup);

  // The stages.
  std::vector<PendingTrial> propose(size_t count);
  /// Fails if the input data of the task cannot be created. An error of a candidate is stored in
  /// its trial.
  llvm::Error build(llvm::MutableArrayRef<PendingTrial> trials);
  llvm::Error measure(llvm::MutableArrayRef<PendingTrial> trials, Measurer &measurer);
  void update(llvm::ArrayRef<PendingTrial> trials);

  /// Adds the records of earlier runs.
  void resume(llvm::ArrayRef<Record> records);

  /// Returns the fastest entries for a race, always including the compiler's default.
  std::vector<PendingTrial> leaders(size_t count);

  const ModelTask &task() const { return *model; }
  bool isDone() const { return isExhausted; }
  size_t trialCount() const { return seconds.size(); }
  /// The time of one run of the kernel; 0 if not known.
  double bestSeconds() const;
  double defaultSeconds() const;
  /// Returns the relative gain of the best time in the last update, 0 to 1.
  double lastGain() const { return gain; }

private:
  TaskTuner(const ModelTask &task, const TuningSetup &setup) : model(&task), setup(&setup) {}

  PendingTrial newTrial(size_t entry) const;
  /// Creates the searcher with the current examples of other tasks.
  void beginSearch();
  std::string folder() const { return setup->folder + "/" + model->task.key().substr(0, 16); }
  llvm::Error makeData();

  const ModelTask *model;
  const TuningSetup *setup;
  std::unique_ptr<Searcher> searcher; // made when first needed
  std::vector<Trial> known;           // before the searcher was created
  std::optional<TaskData> data;       // made when first needed
  std::map<size_t, double> seconds;   // by entry; infinite after a failure
  bool isExhausted = false;
  double gain = 1;
  int batches = 0;
};

} // namespace convoy::tuning
