// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job and a resource inside the scheduler.

#pragma once

#include "service/scheduler/Policy.h"
#include "service/scheduler/ReadyQueue.h"
#include <deque>
#include <functional>
#include <vector>

namespace convoy::service::scheduler {

/// Search slots, build slots, or the devices of one class.
struct Resource {
  Stage stage = Stage::Propose;
  size_t index = 0; // next() visits resources in this order
  int count = 0, inUse = 0;
  double workSeconds = 0; // estimate of the remaining work of all jobs
  bool isChanged = false; // an item may start since the last next()
  std::map<int, ReadyQueue, std::greater<>> tiers;

  int capacity() const { return count > 0 ? count : 1; }
};

struct ReadyItem {
  int64_t handle;
  double since; // when it became ready for the first time
};

struct RunningItem {
  ReadyItem item;
  double chargedSeconds; // estimate; finish() corrects it
};

struct ActiveJob {
  ActiveJob(JobId id, JobSpec spec, Project &project);

  /// Updates remainingSeconds and serviceSeconds.
  void estimate(const PerStage &secondsPerItem);
  /// Facts for the policy; `stage` has a ready item.
  JobFacts facts(size_t stage) const;
  JobFacts facts() const;
  /// Whether an item of the stage may start as far as the job is concerned.
  bool canStart(size_t stage) const;
  bool knows(size_t stage, int64_t handle) const;
  double agingTime() const { return waitSince + kAgingStart * serviceSeconds; }
  /// Ends a wait: the job starts an item or stops waiting.
  void noteWait(double now);
  JobStatus status(double now) const;
  /// Returns an estimate of the device-seconds that `trials` need, without the finished trials.
  double deviceSecondsLeft(int64_t trials) const;

  const JobId id;
  JobSpec spec;
  Project *project;
  int64_t order = 0;
  bool isPaused = false, isRemoved = false;

  std::array<Resource *, kStages> resources{};
  std::array<ReadyQueue *, kStages> queues{}; // of the job's tier
  std::array<QueuedJob, kStages> places;
  std::array<std::deque<ReadyItem>, kStages> ready;
  std::array<std::vector<RunningItem>, kStages> running;
  int queuedStages = 0; // the job waits if at least 1

  std::array<int64_t, kStages> finished{};
  PerStage usedSeconds{}, secondsPerItem{}, workSeconds{};
  double attainedSeconds = 0, remainingSeconds = 0, serviceSeconds = 0;
  double pathSeconds = 0;
  double reservedDeviceSeconds = 0;

  double waitSince = 0;
  double longestWait = 0, longestWaitOfBound = 0;
  HeapSlot<ActiveJob> review;
  double reviewTime = 0;
  int agedTimes = 0, boostedItems = 0; // starts that are left of the last boost
  double agedAt = 0;

private:
  int64_t trialsLeft(size_t stage) const;
  /// Sets the remaining work of a stage and the work of its resource; paused jobs do not count
  /// there.
  void setWork(size_t stage, double seconds);

  PerStage countedSeconds{};
};

} // namespace convoy::service::scheduler
