// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of jobs. A policy ranks the jobs that wait for a resource and says which rules of the
// scheduler apply. Capacity, tiers, quota and pausing apply under every policy.

#pragma once

#include "service/scheduler/Job.h"
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

namespace convoy::service::scheduler {

/// The facts about a job that a policy may use.
struct JobFacts {
  int64_t order = 0;           // of submission
  double readySince = 0;       // of the oldest ready item of the stage
  double remainingSeconds = 0; // largest remaining work / capacity of the job's resources
  double attainedSeconds = 0;  // sum of used seconds / capacity
  double pathSeconds = 0;      // remaining time if no other job delays it
  double poolSeconds = 0;      // remaining work of all jobs / capacity of the job's resources
};

class Policy {
public:
  virtual ~Policy() = default;
  virtual std::string_view name() const = 0;
  /// The job with the smallest rank starts first; the first submitted one of equal jobs.
  virtual double rank(const JobFacts &job) const = 0;
  /// Whether projects get equal shares in proportion to their weights.
  virtual bool sharesByProject() const { return false; }
  /// Whether a job that waits for too long is served first.
  virtual bool ages() const { return false; }
  /// Whether the job precedes the order of ranks, because the pool would be idle while it ends.
  virtual bool isCritical(const JobFacts &job) const { return false; }
  /// Returns for how many seconds the job cannot become critical if its facts stay the same, except
  /// that the pool works.
  virtual double secondsToCritical(const JobFacts &job) const {
    return std::numeric_limits<double>::infinity();
  }
  /// Whether only the job submitted first may start items.
  virtual bool isSerial() const { return false; }
};

/// "serial": one job at a time. "fifo": the item that became ready first. "fair": equal shares for
/// projects, then the job with the least attained service. "srpt": the job with the shortest
/// remaining work. "balanced": equal shares for projects, then the shortest remaining work, with
/// aging; the policy of the service. Returns null for an unknown name.
std::unique_ptr<Policy> makePolicy(std::string_view name);
std::vector<std::string_view> policyNames();

} // namespace convoy::service::scheduler
