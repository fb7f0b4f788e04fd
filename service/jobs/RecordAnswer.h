// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the stored records say about a job before it starts: whether they answer it, and whether
// they make the latency that it requires improbable. JobLoop asks it when a job is created.

#pragma once

#include "service/jobs/BestRecords.h"
#include "service/jobs/Job.h"

namespace convoy::service {

struct RecordAnswer {
  /// The fastest configuration of each task of the job; null: the task has no usable record.
  std::vector<std::shared_ptr<const BestChoice>> choices;
  /// The stored trials with a time, summed over the tasks.
  int64_t trials = 0;
  size_t knownTasks = 0;
  /// The sum of the choices over the kernels of the tasks that have one, in microseconds.
  double knownUs = 0;
  /// The part of `knownUs` that no configuration of these tasks is probably below.
  double leastUs = 0;

  bool isComplete() const { return knownTasks == choices.size() && knownTasks > 0; }
  /// Returns the estimate of one inference; 0 if a task has no record.
  double us() const { return isComplete() ? knownUs : 0; }
};

/// Returns the query for the records that this compiler can use on a target, without a task.
TaskQuery queryFor(const targets::Target &target);

RecordAnswer recordAnswer(const JobSpec &spec, const targets::Target &target,
                          const BestRecords &best);

/// Returns why the job needs no trial; nothing if it must search.
std::optional<JobEnd> endByRecords(const JobSpec &spec, const RecordAnswer &stored);
/// Returns why the latency that the job requires is improbable; empty if it is not.
std::string latencyWarning(const JobSpec &spec, const RecordAnswer &stored);

/// Returns the share of the fastest of so many measured configurations that the fastest one of the
/// whole space stays above in 95 of 100 cases. The cases draw configurations at random, so the
/// share is a lower bound for a better search.
double leastShare(int64_t configurations);

} // namespace convoy::service
