// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inside of the scheduler: jobs, resources, projects and the order of starts.
// SchedulerState.cpp changes jobs and queues, StartItems.cpp chooses what starts, Scheduler.cpp is
// the interface.

#pragma once

#include "service/scheduler/ActiveJob.h"
#include "service/scheduler/Scheduler.h"
#include <unordered_map>

namespace convoy::service::scheduler {

class Scheduler::State {
public:
  State(std::unique_ptr<Policy> policy, SchedulerOptions options,
        std::unique_ptr<StageTimes> times);

  void setCount(Resource &resource, int count);
  Resource &devicesOf(const std::string &deviceClass);
  Project &projectOf(const std::string &name);
  ActiveJob *find(JobId id) const;

  Admission submit(JobId id, const JobSpec &spec, double now);
  Admission extend(ActiveJob &job, int64_t trials, double now);
  void setPaused(ActiveJob &job, bool isPaused, double now);
  void remove(ActiveJob &job, double now);

  void addReady(ActiveJob &job, size_t stage, ReadyItem item, bool isFirst, double now);
  std::vector<Item> next(double now, size_t limit);
  bool finish(const Item &item, double seconds, double now, bool isTrial);
  bool abandon(const Item &item, double now);
  std::unordered_map<JobId, double> secondsToEnd() const;

  std::unique_ptr<Policy> policy;
  SchedulerOptions options;
  std::unique_ptr<StageTimes> times;
  Resource search, build;
  std::unordered_map<std::string, std::unique_ptr<Project>> projects;

private:
  // SchedulerState.cpp
  void addResource(Resource &resource, Stage stage);
  void markChanged(Resource &resource);
  void updateEstimates(ActiveJob &job, double now);
  /// Puts the job into the queue of a stage, moves it there or takes it out.
  void place(ActiveJob &job, size_t stage, double now);
  JobKey keyOf(const ActiveJob &job, size_t stage) const;
  void placeAll(ActiveJob &job, double now);
  void beginWait(ActiveJob &job, double now);
  void endWait(ActiveJob &job, double now);
  /// Takes the item out of the running items of its job and frees its slot.
  std::optional<RunningItem> takeRunning(ActiveJob &job, size_t stage, int64_t handle);
  void forgetIfEnded(ActiveJob &job);
  /// Counts a finished stage of a trial in the estimates and the reserved quota.
  void countTrial(ActiveJob &job, size_t stage, double seconds);

  // StartItems.cpp
  /// Sets the time at which aging or the end of other jobs may change the level of a waiting job.
  void setReview(ActiveJob &job, double now);
  void reviewJobs(double now);
  ActiveJob *choose(Resource &resource);
  Item start(ActiveJob &job, size_t stage, double now);
  int slots(const Resource &resource) const;
  /// Returns the smallest share of the projects with waiting jobs.
  double leastBusyShare();

  std::vector<Resource *> resources, changed;
  std::unordered_map<std::string, std::unique_ptr<Resource>> classes;
  std::unordered_map<JobId, std::unique_ptr<ActiveJob>> jobs;
  /// Jobs that may start items, by tier and order of submission; the serial policy serves the
  /// first.
  std::map<std::pair<int, int64_t>, ActiveJob *> active;
  IndexedHeap<double, ActiveJob> reviews;
  /// Projects with waiting jobs, by a share that may be too small (see ReadyQueue.h).
  IndexedHeap<double, Project> busy;
  int64_t submitted = 0;
  double lastNow = 0;
};

} // namespace convoy::service::scheduler
