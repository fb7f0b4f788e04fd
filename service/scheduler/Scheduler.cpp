// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of the scheduler: checks the arguments and calls SchedulerState.h.

#include "service/scheduler/Scheduler.h"
#include "service/scheduler/SchedulerState.h"

namespace convoy::service::scheduler {

Scheduler::Scheduler(std::unique_ptr<Policy> policy, SchedulerOptions options,
                     std::unique_ptr<StageTimes> times)
    : state(std::make_unique<State>(std::move(policy), options,
                                    times ? std::move(times) : std::make_unique<ObservedMeans>())) {
}

Scheduler::~Scheduler() = default;

void Scheduler::setSearchSlots(int count) { state->setCount(state->search, count); }
void Scheduler::setBuildSlots(int count) { state->setCount(state->build, count); }

void Scheduler::setDevices(const std::string &deviceClass, int count) {
  state->setCount(state->devicesOf(deviceClass), count);
}

void Scheduler::setProject(const std::string &name, const ProjectLimits &limits) {
  state->projectOf(name).limits = limits;
}

void Scheduler::addUsage(const std::string &project, double deviceSeconds, double now) {
  state->projectOf(project).use(deviceSeconds, now);
}

Admission Scheduler::submit(JobId id, const JobSpec &spec, double now) {
  return state->submit(id, spec, now);
}

Admission Scheduler::extend(JobId id, int64_t trials, double now) {
  ActiveJob *job = state->find(id);
  return job && !job->isRemoved ? state->extend(*job, trials, now)
                                : Admission{false, "the scheduler has no job with this id", 0};
}

bool Scheduler::pause(JobId id, double now) {
  ActiveJob *job = state->find(id);
  if (!job || job->isRemoved || job->isPaused) {
    return false;
  }
  state->setPaused(*job, true, now);
  return true;
}

bool Scheduler::resume(JobId id, double now) {
  ActiveJob *job = state->find(id);
  if (!job || job->isRemoved || !job->isPaused) {
    return false;
  }
  state->setPaused(*job, false, now);
  return true;
}

bool Scheduler::remove(JobId id, double now) {
  ActiveJob *job = state->find(id);
  if (!job || job->isRemoved) {
    return false;
  }
  state->remove(*job, now);
  return true;
}

bool Scheduler::ready(const Item &item, double now) {
  ActiveJob *job = state->find(item.job);
  auto stage = static_cast<size_t>(item.stage);
  if (!job || job->isRemoved || job->knows(stage, item.handle)) {
    return false;
  }
  state->addReady(*job, stage, {item.handle, now}, /*isFirst=*/false, now);
  return true;
}

std::vector<Item> Scheduler::next(double now, size_t limit) { return state->next(now, limit); }

bool Scheduler::finish(const Item &item, double seconds, double now) {
  return state->finish(item, seconds, now, /*isTrial=*/true);
}

bool Scheduler::finishExtra(const Item &item, double seconds, double now) {
  return state->finish(item, seconds, now, /*isTrial=*/false);
}

bool Scheduler::abandon(const Item &item, double now) { return state->abandon(item, now); }

std::optional<JobStatus> Scheduler::job(JobId id, double now) const {
  const ActiveJob *job = state->find(id);
  return job ? std::optional(job->status(now)) : std::nullopt;
}

std::unordered_map<JobId, double> Scheduler::secondsToEnd() const { return state->secondsToEnd(); }

ProjectStatus Scheduler::project(const std::string &name) const {
  auto found = state->projects.find(name);
  return found == state->projects.end() ? ProjectStatus{} : found->second->status();
}

PoolStatus Scheduler::pool(const std::string &deviceClass) const {
  const Resource &devices = state->devicesOf(deviceClass);
  return {state->search.count, state->build.count, devices.count,
          state->search.inUse, state->build.inUse, devices.inUse};
}

} // namespace convoy::service::scheduler
