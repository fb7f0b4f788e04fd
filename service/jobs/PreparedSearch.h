// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the search of a job from its tasks, and restores the rounds and results that an earlier
// process stored. It takes up to seconds, so the engine runs it in a SearchPool.

#pragma once

#include "Targets/Target.h"
#include "service/api/TuningApi.h"
#include "service/store/Rows.h"
#include "tuning/search/JobSearch.h"

namespace convoy::service {

/// The tasks of a job and their search. The search points into the tasks, so the object does not
/// move.
struct PreparedSearch {
  std::vector<tuning::ModelTask> tasks;
  std::vector<std::shared_ptr<const layout::Task>> shared; // the same tasks, for dispatchers
  std::optional<tuning::JobSearch> search;
};

/// `trials` are the stored trials of the job by round and place. An error names the task and states
/// why it cannot be searched.
llvm::Expected<std::unique_ptr<PreparedSearch>>
prepareSearch(const JobSpec &spec, const targets::Target &target,
              llvm::ArrayRef<store::TrialRow> trials);

/// Returns the time that a search learns from a result; nothing if the trial failed.
std::optional<double> secondsOf(const store::TrialResult &result);

} // namespace convoy::service
