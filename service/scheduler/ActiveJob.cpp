// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates and waiting times of a job.

#include "service/scheduler/ActiveJob.h"
#include <algorithm>

namespace convoy::service::scheduler {
namespace {

constexpr size_t kPropose = static_cast<size_t>(Stage::Propose);

int64_t ceilDiv(int64_t value, int64_t by) { return (value + by - 1) / by; }

} // namespace

ActiveJob::ActiveJob(JobId id, JobSpec spec, Project &project)
    : id(id), spec(std::move(spec)), project(&project) {
  this->spec.batch = std::max<int64_t>(this->spec.batch, 1);
  int64_t done = std::max<int64_t>(this->spec.doneTrials, 0);
  finished = {done / this->spec.batch, done, done};
  review.owner = this;
  for (QueuedJob &place : places) {
    place.job = this;
    place.project = &project;
    place.inAll.owner = place.inProject.owner = &place;
  }
}

int64_t ActiveJob::trialsLeft(size_t stage) const {
  auto known = static_cast<int64_t>(ready[stage].size() + running[stage].size());
  if (spec.trials <= 0) {
    // The job may always continue, so at least one round is left.
    return std::max({kUnknownTrials - finished[stage], spec.batch, known});
  }
  return std::max(spec.trials - finished[stage], known);
}

void ActiveJob::estimate(const PerStage &seconds) {
  secondsPerItem = seconds;
  int64_t trials = spec.trials > 0 ? spec.trials : kUnknownTrials;
  int64_t rounds = ceilDiv(trials, spec.batch);
  remainingSeconds = 0;
  double roundSeconds = 0;
  for (size_t stage = 0; stage < kStages; ++stage) {
    int64_t capacity = resources[stage]->capacity();
    int64_t left =
        stage == kPropose ? std::max<int64_t>(rounds - finished[kPropose], 0) : trialsLeft(stage);
    setWork(stage, left * seconds[stage]);
    remainingSeconds = std::max(remainingSeconds, workSeconds[stage] / capacity);
    // Alone, each round proposes, then builds, then measures, on all slots of the pool.
    int64_t turns = stage == kPropose ? 1 : ceilDiv(std::min(spec.batch, trials), capacity);
    roundSeconds += turns * seconds[stage];
  }
  serviceSeconds = rounds * roundSeconds;
  // With one round of look-ahead, two rounds overlap, except their proposals.
  double cycle = std::max(seconds[kPropose], roundSeconds / 2);
  pathSeconds = cycle * trialsLeft(static_cast<size_t>(Stage::Measure)) / spec.batch;
}

void ActiveJob::setWork(size_t stage, double seconds) {
  double counted = isPaused ? 0 : seconds;
  resources[stage]->workSeconds += counted - countedSeconds[stage];
  countedSeconds[stage] = counted;
  workSeconds[stage] = seconds;
}

JobFacts ActiveJob::facts() const {
  double pool = 0;
  for (const Resource *resource : resources) {
    pool = std::max(pool, resource->workSeconds / resource->capacity());
  }
  return {order, 0, remainingSeconds, attainedSeconds, pathSeconds, pool};
}

JobFacts ActiveJob::facts(size_t stage) const {
  JobFacts result = facts();
  result.readySince = ready[stage].front().since;
  return result;
}

bool ActiveJob::canStart(size_t stage) const {
  bool isFull = stage != kPropose && spec.maxInFlight > 0 &&
                running[stage].size() >= static_cast<size_t>(spec.maxInFlight);
  return !isPaused && !isRemoved && !isFull && !ready[stage].empty();
}

bool ActiveJob::knows(size_t stage, int64_t handle) const {
  auto isReady = [&](const ReadyItem &item) { return item.handle == handle; };
  auto isRunning = [&](const RunningItem &item) { return item.item.handle == handle; };
  return std::any_of(ready[stage].begin(), ready[stage].end(), isReady) ||
         std::any_of(running[stage].begin(), running[stage].end(), isRunning);
}

double ActiveJob::deviceSecondsLeft(int64_t trials) const {
  constexpr auto kMeasure = static_cast<size_t>(Stage::Measure);
  int64_t left = (trials > 0 ? trials : kUnknownTrials) - finished[kMeasure];
  return static_cast<double>(std::max<int64_t>(left, 0)) * secondsPerItem[kMeasure];
}

void ActiveJob::noteWait(double now) {
  double wait = now - waitSince;
  longestWait = std::max(longestWait, wait);
  longestWaitOfBound = std::max(longestWaitOfBound, wait / (kAgingBound * serviceSeconds));
  waitSince = now;
}

JobStatus ActiveJob::status(double now) const {
  JobStatus status;
  status.isPaused = isPaused;
  for (size_t stage = 0; stage < kStages; ++stage) {
    status.ready += static_cast<int64_t>(ready[stage].size());
    status.inFlight += static_cast<int64_t>(running[stage].size());
  }
  status.finished = finished;
  status.usedSeconds = usedSeconds;
  status.remainingSeconds = remainingSeconds;
  status.serviceSeconds = serviceSeconds;
  double wait = queuedStages > 0 ? now - waitSince : 0;
  status.longestWaitSeconds = std::max(longestWait, wait);
  status.longestWaitOfBound = std::max(longestWaitOfBound, wait / (kAgingBound * serviceSeconds));
  return status;
}

} // namespace convoy::service::scheduler
