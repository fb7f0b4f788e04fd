// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which trials of many jobs run next on a shared pool. convoy-tuningd and its simulation
// use this class. It has no clock, no threads and no transport: the caller passes the time, starts
// the items that next() returns and reports how they ended. Policy.h orders the jobs, StageTimes.h
// predicts the seconds of a stage. README.md lists the rules.

#pragma once

#include "service/scheduler/Job.h"
#include "service/scheduler/Policy.h"
#include "service/scheduler/StageTimes.h"
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace convoy::service::scheduler {

struct SchedulerOptions {
  /// Items handed out per slot. A value of 2 keeps the next item at the worker while one runs.
  double itemsPerSlot = 1;
  /// A project may lead another backlogged project by this many seconds of the whole pool. Inside
  /// this limit, the order of jobs ignores projects.
  double shareSlackSeconds = 45;
};

/// The caller is one thread at a time. `now` is in seconds from any origin and never decreases.
/// Calls that name an unknown job or item return false or nothing, so a late report is harmless.
class Scheduler {
public:
  explicit Scheduler(std::unique_ptr<Policy> policy, SchedulerOptions options = {},
                     std::unique_ptr<StageTimes> times = nullptr /* ObservedMeans */);
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;

  // The pool. A count that falls below the items in flight stops no item: the scheduler starts
  // nothing on the resource until enough items have ended.
  void setSearchSlots(int count);
  void setBuildSlots(int count);
  void setDevices(const std::string &deviceClass, int count);

  void setProject(const std::string &name, const ProjectLimits &limits);
  /// Counts device-seconds that the project has used in the current window before this scheduler
  /// existed.
  void addUsage(const std::string &project, double deviceSeconds, double now);

  // Jobs. The caller chooses the ids; an id is never used again.
  Admission submit(JobId id, const JobSpec &spec, double now);
  /// Adds trials, subject to the quota. A negative number removes trials.
  Admission extend(JobId id, int64_t trials, double now);
  /// Stops new starts of the job. Items in flight end normally and their successors become ready.
  bool pause(JobId id, double now);
  bool resume(JobId id, double now);
  /// Ends the job, finished or canceled: drops its ready items and releases its unused quota.
  /// Items in flight keep their slots until finish() or abandon() reports them.
  bool remove(JobId id, double now);

  // Items.
  /// Adds an item that may start. False: the job is unknown, or the item is already known.
  bool ready(const Item &item, double now);
  /// Returns the items that start now, at most `limit`, and occupies their slots.
  std::vector<Item> next(double now, size_t limit = SIZE_MAX);
  /// Reports an item that ended, with the seconds during which it occupied its slot. 0: the item
  /// did not run; its stage counts as finished, but estimates ignore it.
  bool finish(const Item &item, double seconds, double now);
  /// Reports an item that is no trial of the job, such as the build of its network: frees the slot
  /// and charges the project. Trials that are left, reserved quota and estimates stay.
  bool finishExtra(const Item &item, double seconds, double now);
  /// Reports an item whose lease was lost. It is ready again, before the job's other items of the
  /// stage; the project does not pay for it.
  bool abandon(const Item &item, double now);

  std::optional<JobStatus> job(JobId id, double now) const;
  /// Returns the estimated seconds until the end of each job that may start items and whose
  /// resources all have slots. Jobs end in the order of the policy; the estimate ignores shares of
  /// projects, aging and later submissions. A job without a limit of trials has no estimate.
  std::unordered_map<JobId, double> secondsToEnd() const;
  ProjectStatus project(const std::string &name) const;
  PoolStatus pool(const std::string &deviceClass) const;

private:
  class State;
  std::unique_ptr<State> state;
};

} // namespace convoy::service::scheduler
