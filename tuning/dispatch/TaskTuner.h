// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuning of one task, as stages that are commanded one by one: propose, build,
// measure, update. It never decides when; LocalTuner.h does, on one machine.

#pragma once

#include "tuning/build/BuildBatch.h"
#include "tuning/dispatch/Experience.h"
#include "tuning/measure/TaskData.h"
#include "tuning/records/RecordStore.h"
#include "tuning/search/Searcher.h"
#include "tuning/space/ModelTasks.h"

namespace convoy::tuning {

/// "convoy 0.2.0": stored with what is measured.
llvm::StringRef compilerVersion();

/// What the tasks of a run have in common.
struct TuningSetup {
  targets::Target target;
  std::string folder; // for libraries and data; the caller removes it
  std::string searcher = "mixed";
  uint64_t seed = 0;
  MeasurePlan plan;
  int jobs = 2; // builds at once
  /// What tasks teach each other; null: each starts with nothing.
  Experience *experience = nullptr;
};

/// A proposal on its way.
struct PendingTrial {
  size_t entry = 0;
  Record record;                      // with its outcome once that is known
  std::optional<Candidate> candidate; // built
};

class TaskTuner {
public:
  static llvm::Expected<TaskTuner> create(const ModelTask &task, const TuningSetup &setup);

  // The stages.
  std::vector<PendingTrial> propose(size_t count);
  /// Fails when the task has no data to run on; what is wrong with a candidate is in its
  /// trial.
  llvm::Error build(llvm::MutableArrayRef<PendingTrial> trials);
  llvm::Error measure(llvm::MutableArrayRef<PendingTrial> trials, Measurer &measurer);
  void update(llvm::ArrayRef<PendingTrial> trials);

  /// Takes what earlier runs have measured.
  void resume(llvm::ArrayRef<Record> records);

  /// The fastest entries, to be measured again beside each other; the compiler's own
  /// choice is always among them.
  std::vector<PendingTrial> leaders(size_t count);

  const ModelTask &task() const { return *model; }
  bool isDone() const { return isExhausted; }
  size_t trialCount() const { return seconds.size(); }
  /// Of one run; 0 when nothing is known.
  double bestSeconds() const;
  double defaultSeconds() const;
  /// How much faster the last update made the best one, 0 to 1.
  double lastGain() const { return gain; }

private:
  TaskTuner(const ModelTask &task, const TuningSetup &setup) : model(&task), setup(&setup) {}

  PendingTrial newTrial(size_t entry) const;
  /// Makes the searcher with what other tasks have taught by now.
  void beginSearch();
  std::string folder() const { return setup->folder + "/" + model->task.key().substr(0, 16); }
  llvm::Error makeData();

  const ModelTask *model;
  const TuningSetup *setup;
  std::unique_ptr<Searcher> searcher; // made when first needed
  std::vector<Trial> known;           // before there was one
  std::optional<TaskData> data;       // made when first needed
  std::map<size_t, double> seconds;   // by entry; infinite when it failed
  bool isExhausted = false;
  double gain = 1;
  int batches = 0;
};

} // namespace convoy::tuning
