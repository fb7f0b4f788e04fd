// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The known time of each tried entry of a task, from this search, from earlier searches and from
// races. The tuner selects the candidates of the races from it.

#pragma once

#include "tuning/records/Record.h"
#include "tuning/search/Searcher.h"
#include "tuning/space/ModelTasks.h"

namespace convoy::tuning {

/// Returns the compiler version that is stored in records, such as "convoy 0.2.0".
llvm::StringRef compilerVersion();

/// Returns the time of one run, or nothing if the trial failed.
std::optional<double> secondsOf(const Record &record);

/// Returns the trials of these records whose configurations belong to the space.
std::vector<Trial> trialsOf(const TaskSpace &space, llvm::ArrayRef<Record> records);

class TaskResults {
public:
  explicit TaskResults(const ModelTask &task) : model(&task) {}

  /// Adds a result; a later result of an entry replaces an earlier one.
  void add(size_t entry, const Record &record);
  void add(llvm::ArrayRef<Record> records);

  /// Returns the fastest entries for a race, always including the compiler's default.
  std::vector<size_t> leaders(size_t count) const;

  const ModelTask &task() const { return *model; }
  /// The number of tried entries.
  size_t tried() const { return seconds.size(); }
  /// The time of one run of the kernel; 0 if not known.
  double bestSeconds() const;
  double defaultSeconds() const;

private:
  const ModelTask *model;
  std::map<size_t, double> seconds; // by entry; infinite after a failure
};

} // namespace convoy::tuning
