// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/JobLoop.h"
#include "Support/MonotonicClock.h"
#include "service/jobs/JobText.h"
#include <cmath>

namespace convoy::service {
namespace {

constexpr double kCapacitySeconds = 0.5, kPublishSeconds = 0.2, kEstimateSeconds = 1;
/// The longest wait for results while rows are written: the end of a write does not end the wait.
constexpr double kWritingSeconds = 0.002;

service::scheduler::SchedulerOptions schedulerOptions(const JobLoopOptions &options) {
  service::scheduler::SchedulerOptions result;
  result.itemsPerSlot = options.itemsPerSlot;
  return result;
}

} // namespace

JobLoop::JobLoop(JobLoopOptions options, store::Store &database, tuning::Dispatcher &dispatcher,
                 StatusBoard &board, BestRecords &best)
    : options(std::move(options)), database(database), dispatcher(dispatcher), board(board),
      best(best), scheduler(service::scheduler::makePolicy(this->options.policy),
                            schedulerOptions(this->options)),
      writer(database), pool(this->options.searchThreads) {
  unixOffset = static_cast<double>(tuning::unixMicroseconds()) * 1e-6 - now();
  scheduler.setSearchSlots(this->options.searchThreads);
}

double JobLoop::now() const { return monotonicSeconds() + unixOffset; }

llvm::Error JobLoop::loadProjects() {
  llvm::Expected<std::vector<store::ProjectRow>> projects = database.projects();
  if (!projects) {
    return projects.takeError();
  }
  service::scheduler::ProjectLimits limits;
  for (const store::ProjectRow &project : *projects) {
    limits.weight = project.weight;
    limits.quotaDeviceSeconds = project.quotaDeviceSeconds > 0
                                    ? project.quotaDeviceSeconds
                                    : std::numeric_limits<double>::infinity();
    scheduler.setProject(project.name, limits);
  }
  double windowStart = std::floor(now() / limits.windowSeconds) * limits.windowSeconds;
  llvm::Expected<std::vector<store::UsageTotal>> usage =
      database.usage("", static_cast<int64_t>(windowStart * 1e6));
  if (!usage) {
    return usage.takeError();
  }
  for (const store::UsageTotal &total : *usage) {
    scheduler.addUsage(total.project, total.deviceSeconds, now());
  }
  return llvm::Error::success();
}

llvm::Error JobLoop::load() {
  if (llvm::Error error = loadProjects()) {
    return error;
  }
  if (llvm::Error error = database.forEachRecord([&](store::StoredRecord &&stored) {
        best.add(stored.record, stored.job, stored.device);
      })) {
    return error;
  }
  llvm::Expected<std::vector<store::JobRow>> rows = database.jobs();
  if (!rows) {
    return rows.takeError();
  }
  for (const store::JobRow &row : *rows) {
    llvm::Error error = restore(row);
    if (error && error.isA<store::StoreError>()) {
      return error;
    }
    if (error) {
      if (llvm::Error problem = refuse(row, llvm::toString(std::move(error)))) {
        return problem;
      }
    }
  }
  publish(/*isForced=*/true);
  return llvm::Error::success();
}

llvm::Error JobLoop::tick(double waitSeconds) {
  updateCapacity();
  pool.runFinished();
  if (llvm::Error error = writeRows()) {
    return error;
  }
  startItems();
  bool isWriting = writer.isBusy() || !unstored.empty();
  llvm::Expected<std::vector<tuning::Completion>> arrived =
      dispatcher.wait(isWriting ? std::min(waitSeconds, kWritingSeconds) : waitSeconds);
  if (!arrived) {
    options.say(llvm::toString(arrived.takeError()));
  } else {
    for (tuning::Completion &completion : *arrived) {
      take(std::move(completion));
    }
  }
  acknowledge(consumed);
  restartLost();
  keepBlobs();
  endJobs();
  publish(/*isForced=*/false);
  return llvm::Error::success();
}

void JobLoop::updateCapacity() {
  double time = now();
  if (time - capacityAt < kCapacitySeconds) {
    return;
  }
  capacityAt = time;
  tuning::Capacity capacity = dispatcher.capacity();
  scheduler.setBuildSlots(capacity.builds);
  for (const auto &[name, count] : devices) {
    capacity.devices.try_emplace(name, 0); // its last device has gone
  }
  for (const auto &[name, count] : capacity.devices) {
    // A change makes the scheduler estimate the jobs of the class again.
    auto [known, isNew] = devices.try_emplace(name, 0);
    if (isNew || known->second != count) {
      known->second = count;
      scheduler.setDevices(name, count);
    }
  }
}

void JobLoop::startItems() {
  if (now() < workRetryAt) {
    return;
  }
  for (const Item &item : scheduler.next(now())) {
    auto found = byNumber.find(item.job);
    if (found == byNumber.end()) {
      finish(item, 0);
    } else if (item.stage == Stage::Propose) {
      startPropose(*found->second, item);
    } else {
      startStage(*found->second, item);
    }
  }
}

void JobLoop::endJobs() {
  if (now() < storeRetryAt) {
    return;
  }
  double unixSeconds = now();
  std::vector<std::pair<Job *, JobEnd>> ending;
  for (auto &[id, job] : jobs) {
    std::optional<JobEnd> why = job->isSearching ? std::nullopt : job->whyEnd(unixSeconds);
    if (why && isSettled(*job, *why)) {
      ending.emplace_back(job.get(), std::move(*why));
    }
  }
  for (auto &[job, why] : ending) {
    if (llvm::Error error = end(*job, why)) {
      options.say("job " + job->id + ": " + llvm::toString(std::move(error)));
      storeRetryAt = now() + 0.5;
      return;
    }
  }
}

llvm::Error JobLoop::end(Job &job, const JobEnd &why) {
  JobStatus status = job.status();
  status.set_ended_us(tuning::unixMicroseconds());
  status.set_estimated_end_us(0);
  status.set_updated_us(status.ended_us());
  status.set_state(why.state);
  status.set_reason(why.reason);
  if (llvm::Error error = database.setJobProgress(job.id, toText(status))) {
    return error;
  }
  if (llvm::Error error = database.setJobState(job.id, name(why.state), why.reason)) {
    return error;
  }
  if (!job.open.empty() || job.network) {
    dispatcher.cancel(job.id);
  }
  job.forEachOpen([&](OpenTrial &trial) {
    if (trial.isStarted) {
      finish(job.itemOf(trial), 0); // its result, if any, is dropped
    }
  });
  llvm::erase_if(unstored.trials, [&](const store::TrialRow &row) { return row.id.job == job.id; });
  scheduler.remove(job.number, now());
  board.publish(std::move(status));
  byNumber.erase(job.number);
  jobs.erase(job.id);
  return llvm::Error::success();
}

void JobLoop::estimateEnds() {
  double time = now();
  if (time - estimatedAt < kEstimateSeconds) {
    return;
  }
  estimatedAt = time;
  std::unordered_map<JobNumber, double> left = scheduler.secondsToEnd();
  for (auto &[id, job] : jobs) {
    auto found = left.find(job->number);
    std::optional<double> seconds =
        found == left.end() ? std::nullopt : std::optional(found->second);
    job->setEstimatedEnd(job->estimateEnd(seconds, time), time);
  }
}

void JobLoop::keepBlobs() {
  constexpr double kEverySeconds = 1800; // a full store removes data after 2 h
  double time = now();
  if (time - keptAt < kEverySeconds) {
    return;
  }
  keptAt = time;
  for (const auto &[id, job] : jobs) {
    for (const std::string &blob : job->blobs()) {
      options.keepBlob(blob);
    }
  }
}

JobStatus JobLoop::publishNow(Job &job) {
  job.isDirty = true;
  estimatedAt = 0;
  estimateEnds();
  job.isDirty = false;
  board.publish(job.status());
  return job.status();
}

void JobLoop::publish(bool isForced) {
  double time = now();
  if (!isForced && time - publishedAt < kPublishSeconds) {
    return;
  }
  publishedAt = time;
  estimateEnds();
  for (auto &[id, job] : jobs) {
    if (job->isDirty) {
      job->isDirty = false;
      board.publish(job->status());
    }
  }
}

} // namespace convoy::service
