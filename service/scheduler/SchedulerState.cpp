// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of jobs, items and resources. Each change updates only the queues of the job, so its cost
// is logarithmic in the number of jobs; a change of a capacity updates all jobs.

#include "service/scheduler/SchedulerState.h"
#include <algorithm>

namespace convoy::service::scheduler {

constexpr size_t kMeasure = static_cast<size_t>(Stage::Measure);

Scheduler::State::State(std::unique_ptr<Policy> policy, SchedulerOptions options,
                        std::unique_ptr<StageTimes> times)
    : policy(std::move(policy)), options(options), times(std::move(times)) {
  addResource(search, Stage::Propose);
  addResource(build, Stage::Build);
}

void Scheduler::State::addResource(Resource &resource, Stage stage) {
  resource.stage = stage;
  resource.index = resources.size();
  resources.push_back(&resource);
}

Resource &Scheduler::State::devicesOf(const std::string &deviceClass) {
  std::unique_ptr<Resource> &resource = classes[deviceClass];
  if (!resource) {
    resource = std::make_unique<Resource>();
    addResource(*resource, Stage::Measure);
  }
  return *resource;
}

Project &Scheduler::State::projectOf(const std::string &name) {
  std::unique_ptr<Project> &project = projects[name];
  if (!project) {
    project = std::make_unique<Project>(name);
  }
  return *project;
}

ActiveJob *Scheduler::State::find(JobId id) const {
  auto found = jobs.find(id);
  return found == jobs.end() ? nullptr : found->second.get();
}

void Scheduler::State::markChanged(Resource &resource) {
  if (!resource.isChanged) {
    resource.isChanged = true;
    changed.push_back(&resource);
  }
}

void Scheduler::State::setCount(Resource &resource, int count) {
  if (resource.count == count) {
    return;
  }
  resource.count = std::max(count, 0);
  markChanged(resource);
  for (auto &[id, job] : jobs) {
    if (job->resources[static_cast<size_t>(resource.stage)] == &resource) {
      updateEstimates(*job, lastNow);
    }
  }
}

void Scheduler::State::updateEstimates(ActiveJob &job, double now) {
  job.estimate(times->predict(job.id));
  for (size_t stage = 0; stage < kStages; ++stage) {
    if (job.places[stage].inAll.isQueued()) {
      place(job, stage, now);
    }
  }
  if (job.review.isQueued() && job.agingTime() < job.reviewTime) {
    setReview(job, now);
  }
}

Admission Scheduler::State::submit(JobId id, const JobSpec &spec, double now) {
  if (jobs.count(id) != 0) {
    return {false, "the scheduler already has a job with this id", 0};
  }
  Project &project = projectOf(spec.project);
  auto job = std::make_unique<ActiveJob>(id, spec, project);
  job->resources = {&search, &build, &devicesOf(spec.deviceClass)};
  times->addJob(id, spec.deviceClass);
  job->estimate(times->predict(id));
  Admission admission = extend(*job, 0, now);
  if (!admission.isAdmitted && spec.wasAdmitted) {
    admission = {};
    job->reservedDeviceSeconds = job->deviceSecondsLeft(spec.trials);
    project.restore(job->reservedDeviceSeconds);
  }
  if (!admission.isAdmitted) {
    times->removeJob(id);
    return admission;
  }
  job->order = submitted++;
  for (size_t stage = 0; stage < kStages; ++stage) {
    job->queues[stage] = &job->resources[stage]->tiers[spec.tier];
  }
  active[{-spec.tier, job->order}] = job.get();
  jobs[id] = std::move(job);
  return admission;
}

Admission Scheduler::State::extend(ActiveJob &job, int64_t trials, double now) {
  int64_t after = job.spec.trials + trials;
  if (trials != 0 && (job.spec.trials <= 0 || after <= 0)) {
    return {false, "the job has no limit of trials that this number could change", 0};
  }
  double needed = job.deviceSecondsLeft(after);
  job.project->release(job.reservedDeviceSeconds);
  Admission admission = job.project->reserve(needed, now);
  if (!admission.isAdmitted) {
    job.project->restore(job.reservedDeviceSeconds);
    return admission;
  }
  job.reservedDeviceSeconds = needed;
  job.spec.trials = after;
  if (trials != 0) {
    updateEstimates(job, now);
  }
  return admission;
}

void Scheduler::State::setPaused(ActiveJob &job, bool isPaused, double now) {
  job.isPaused = isPaused;
  if (isPaused) {
    active.erase({-job.spec.tier, job.order});
  } else {
    active[{-job.spec.tier, job.order}] = &job;
  }
  job.estimate(times->predict(job.id)); // only jobs that may start count as work of the pool
  placeAll(job, now);
  if (policy->isSerial()) {
    std::for_each(resources.begin(), resources.end(), [&](Resource *it) { markChanged(*it); });
  }
}

void Scheduler::State::remove(ActiveJob &job, double now) {
  job.isRemoved = true;
  setPaused(job, true, now);
  reviews.remove(job.review);
  job.project->release(job.reservedDeviceSeconds);
  job.reservedDeviceSeconds = 0;
  for (auto &items : job.ready) {
    items.clear();
  }
  forgetIfEnded(job);
}

void Scheduler::State::forgetIfEnded(ActiveJob &job) {
  bool isRunning = std::any_of(job.running.begin(), job.running.end(),
                               [](const auto &items) { return !items.empty(); });
  if (job.isRemoved && !isRunning) {
    times->removeJob(job.id);
    jobs.erase(job.id);
  }
}

void Scheduler::State::addReady(ActiveJob &job, size_t stage, ReadyItem item, bool isFirst,
                                double now) {
  if (isFirst) {
    job.ready[stage].push_front(item);
  } else {
    job.ready[stage].push_back(item);
  }
  place(job, stage, now);
}

JobKey Scheduler::State::keyOf(const ActiveJob &job, size_t stage) const {
  if (job.boostedItems > 0) {
    return {Level::Aged, job.agedAt, job.order};
  }
  JobFacts facts = job.facts(stage);
  if (policy->isCritical(facts)) {
    return {Level::Critical, -facts.pathSeconds, job.order};
  }
  return {Level::Normal, policy->rank(facts), job.order};
}

void Scheduler::State::place(ActiveJob &job, size_t stage, double now) {
  QueuedJob &queued = job.places[stage];
  bool wasQueued = queued.inAll.isQueued(), isQueued = job.canStart(stage);
  if (isQueued) {
    job.queues[stage]->set(queued, keyOf(job, stage));
    markChanged(*job.resources[stage]);
  } else {
    job.queues[stage]->remove(queued);
  }
  job.queuedStages += static_cast<int>(isQueued) - static_cast<int>(wasQueued);
  if (isQueued && !wasQueued && job.queuedStages == 1) {
    beginWait(job, now);
  } else if (wasQueued && !isQueued && job.queuedStages == 0) {
    endWait(job, now);
  }
}

void Scheduler::State::placeAll(ActiveJob &job, double now) {
  for (size_t stage = 0; stage < kStages; ++stage) {
    place(job, stage, now);
  }
}

void Scheduler::State::beginWait(ActiveJob &job, double now) {
  job.waitSince = now;
  if (job.boostedItems == 0) {
    setReview(job, now);
  }
  if (job.project->waitingJobs++ == 0) {
    if (!busy.empty()) {
      job.project->raiseShare(leastBusyShare() - options.shareSlackSeconds);
    }
    busy.set(job.project->busy, job.project->share());
  }
}

void Scheduler::State::endWait(ActiveJob &job, double now) {
  job.noteWait(now);
  if (--job.project->waitingJobs == 0) {
    busy.remove(job.project->busy);
  }
}

std::optional<RunningItem> Scheduler::State::takeRunning(ActiveJob &job, size_t stage,
                                                         int64_t handle) {
  std::vector<RunningItem> &running = job.running[stage];
  auto found = std::find_if(running.begin(), running.end(),
                            [&](const RunningItem &item) { return item.item.handle == handle; });
  if (found == running.end()) {
    return std::nullopt;
  }
  RunningItem item = *found;
  running.erase(found);
  --job.resources[stage]->inUse;
  markChanged(*job.resources[stage]);
  return item;
}

void Scheduler::State::countTrial(ActiveJob &job, size_t stage, double seconds) {
  ++job.finished[stage];
  if (stage == kMeasure) {
    double reserved = std::min(job.secondsPerItem[kMeasure], job.reservedDeviceSeconds);
    job.project->release(reserved);
    job.reservedDeviceSeconds -= reserved;
  }
  if (seconds > 0) {
    times->observe(job.id, static_cast<Stage>(stage), seconds);
  }
}

bool Scheduler::State::finish(const Item &item, double seconds, double now, bool isTrial) {
  auto stage = static_cast<size_t>(item.stage);
  ActiveJob *job = find(item.job);
  std::optional<RunningItem> running = job ? takeRunning(*job, stage, item.handle) : std::nullopt;
  if (!running) {
    return false;
  }
  int capacity = job->resources[stage]->capacity();
  job->project->charge(seconds - running->chargedSeconds, capacity);
  job->attainedSeconds += (seconds - running->chargedSeconds) / capacity;
  job->usedSeconds[stage] += seconds;
  if (item.stage == Stage::Measure) {
    job->project->use(seconds, now);
  }
  if (isTrial) {
    countTrial(*job, stage, seconds);
  }
  updateEstimates(*job, now);
  place(*job, stage, now);
  forgetIfEnded(*job);
  return true;
}

std::unordered_map<JobId, double> Scheduler::State::secondsToEnd() const {
  std::vector<const ActiveJob *> order;
  for (const auto &[place, job] : active) {
    order.push_back(job);
  }
  auto key = [&](const ActiveJob *job) {
    return std::tuple(-job->spec.tier, policy->rank(job->facts()), job->order);
  };
  std::sort(order.begin(), order.end(),
            [&](const ActiveJob *a, const ActiveJob *b) { return key(a) < key(b); });
  std::unordered_map<const Resource *, double> ahead; // work of the jobs that end earlier
  std::unordered_map<JobId, double> result;
  for (const ActiveJob *job : order) {
    double seconds = job->pathSeconds;
    bool isServed = true;
    for (size_t stage = 0; stage < kStages; ++stage) {
      const Resource &resource = *job->resources[stage];
      double &work = ahead[&resource];
      work += job->workSeconds[stage];
      seconds = std::max(seconds, work / resource.capacity());
      isServed &= resource.count > 0;
    }
    if (isServed && job->spec.trials > 0) {
      result[job->id] = seconds;
    }
  }
  return result;
}

bool Scheduler::State::abandon(const Item &item, double now) {
  auto stage = static_cast<size_t>(item.stage);
  ActiveJob *job = find(item.job);
  std::optional<RunningItem> running = job ? takeRunning(*job, stage, item.handle) : std::nullopt;
  if (!running) {
    return false;
  }
  int capacity = job->resources[stage]->capacity();
  job->project->charge(-running->chargedSeconds, capacity);
  job->attainedSeconds -= running->chargedSeconds / capacity;
  if (!job->isRemoved) {
    addReady(*job, stage, running->item, /*isFirst=*/true, now);
  }
  forgetIfEnded(*job);
  return true;
}

} // namespace convoy::service::scheduler
