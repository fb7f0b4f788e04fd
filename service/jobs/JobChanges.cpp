// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes of jobs that users request. Each change is stored before it is answered.

#include "service/jobs/JobLoop.h"
#include "service/jobs/JobText.h"
#include "tuning/measure/Measurer.h"

namespace convoy::service {
namespace {

/// Translates an error of the store for the user.
llvm::Error toApi(llvm::Error error) {
  using Kind = store::StoreError::Kind;
  switch (store::storeErrorKind(error)) {
  case Kind::Conflict:
    return apiError(ErrorCode::Conflict, llvm::toString(std::move(error)));
  case Kind::NotFound:
    return apiError(ErrorCode::NotFound, llvm::toString(std::move(error)));
  case Kind::Unavailable:
  case Kind::LostLeadership:
    return apiError(ErrorCode::Unavailable, llvm::toString(std::move(error)));
  case Kind::Exhausted:
    return exhausted(llvm::toString(std::move(error)), /*retrySeconds=*/10);
  case Kind::Invalid:
    return apiError(ErrorCode::Internal, llvm::toString(std::move(error)));
  }
  llvm_unreachable("unknown StoreError::Kind");
}

tuning::scheduler::JobSpec schedulerSpec(const JobSpec &spec) {
  tuning::scheduler::JobSpec result;
  result.project = spec.project;
  result.deviceClass = spec.targetClass;
  result.tier = static_cast<int>(spec.priority);
  result.trials = spec.maxTrials;
  result.batch = spec.batch;
  return result;
}

} // namespace

llvm::Expected<Job *> JobLoop::require(const std::string &id) {
  auto found = jobs.find(id);
  if (found != jobs.end() && !found->second->cancelled) {
    return found->second.get();
  }
  std::optional<JobStatus> status = board.find(id);
  if (!status) {
    return apiError(ErrorCode::NotFound, "no job has the id '" + id + "'");
  }
  return apiError(ErrorCode::Conflict,
                  "job " + id + " has ended: " + name(status->state) + ", " + status->reason);
}

llvm::Expected<JobStatus> JobLoop::change(Job &job, JobState state, const std::string &reason) {
  if (llvm::Error error = database.setJobState(job.id, name(state), reason)) {
    return toApi(std::move(error));
  }
  job.state = state;
  job.reason = reason;
  job.updatedUs = tuning::unixMicroseconds();
  board.publish(job.status());
  return job.status();
}

llvm::Expected<std::optional<JobStatus>> JobLoop::findCreated(const JobSpec &spec) const {
  auto key = byKey.find({spec.project, spec.idempotencyKey});
  if (spec.idempotencyKey.empty() || key == byKey.end()) {
    return std::nullopt;
  }
  llvm::Expected<std::vector<store::JobRow>> rows = database.jobs({key->second, "", {}, 0});
  if (!rows) {
    return toApi(rows.takeError());
  }
  if (rows->empty() || rows->front().spec != toText(spec)) {
    return apiError(ErrorCode::Conflict, "job " + key->second + " of project '" + spec.project +
                                             "' has the idempotency key '" + spec.idempotencyKey +
                                             "' and another specification; use a new key");
  }
  return board.find(key->second);
}

std::optional<JobEnd> JobLoop::cachedAnswer(const JobSpec &spec,
                                            const targets::Target &target) const {
  if (spec.maxTrials == 0 || spec.ignoresStored) {
    return std::nullopt;
  }
  int64_t known = 0;
  for (const TaskSpec &task : spec.tasks) {
    TaskQuery query{tuning::taskHash(task.text),
                    target.fingerprint(),
                    name(tuning::MeasurePlan().policy).str(),
                    {}};
    if (best.find(query).empty()) {
      return std::nullopt;
    }
    known += best.trialCount(query);
  }
  if (known < spec.maxTrials) {
    return std::nullopt;
  }
  return JobEnd{JobState::CachedHit, std::to_string(known) + " trials of these tasks are stored, " +
                                         std::to_string(spec.maxTrials) + " were requested"};
}

llvm::Expected<JobStatus> JobLoop::create(const JobSpec &spec, const targets::Target &target) {
  llvm::Expected<std::optional<JobStatus>> created = findCreated(spec);
  if (!created) {
    return created.takeError();
  }
  if (*created) {
    return std::move(**created);
  }
  JobNumber number{++lastNumber};
  tuning::scheduler::Admission admission = scheduler.submit(number, schedulerSpec(spec), now());
  if (!admission.isAdmitted) {
    return exhausted(admission.reason, admission.retrySeconds);
  }
  store::JobRow row;
  row.id = newJobId();
  row.project = spec.project;
  row.idempotencyKey = spec.idempotencyKey;
  row.spec = toText(spec);
  row.state = name(JobState::Queued).str();
  row.priority = static_cast<int>(spec.priority);
  std::vector<store::TaskRow> tasks;
  for (const TaskSpec &task : spec.tasks) {
    tasks.push_back({row.id, static_cast<int64_t>(tasks.size()), task.name, task.text, task.count,
                     task.weight});
  }
  llvm::Expected<store::CreatedJob> stored = database.createJob(row, tasks);
  if (!stored) {
    scheduler.remove(number, now());
    return toApi(stored.takeError());
  }
  if (!row.idempotencyKey.empty()) {
    byKey[{row.project, row.idempotencyKey}] = row.id;
  }
  auto made = std::make_unique<Job>(row.id, number, spec, target);
  made->createdUs = made->updatedUs = stored->job.createdUs;
  Job &job = insert(std::move(made));
  if (std::optional<JobEnd> cached = cachedAnswer(spec, target)) {
    if (llvm::Error error = end(job, *cached)) {
      return toApi(std::move(error));
    }
    return *board.find(row.id);
  }
  queuePropose(job);
  board.publish(job.status());
  return job.status();
}

Job &JobLoop::insert(std::unique_ptr<Job> job) {
  Job &inserted = *job;
  byNumber[job->number] = job.get();
  jobs[job->id] = std::move(job);
  return inserted;
}

llvm::Error JobLoop::restore(const store::JobRow &row) {
  if (!row.idempotencyKey.empty()) {
    byKey[{row.project, row.idempotencyKey}] = row.id;
  }
  llvm::Expected<JobStatus> status = statusOf(row);
  if (!status) {
    return status.takeError();
  }
  if (isEndedRow(row)) {
    board.publish(std::move(*status));
    return llvm::Error::success();
  }
  llvm::Expected<std::vector<store::TrialRow>> trials = database.trials(row.id);
  llvm::Expected<JobSpec> spec = specOf(row);
  if (!trials || !spec) {
    return llvm::joinErrors(trials.takeError(), spec.takeError());
  }
  llvm::Expected<targets::Target> target = targets::parseTarget(spec->target, "the job's target");
  if (!target) {
    return target.takeError();
  }
  auto job = std::make_unique<Job>(row.id, JobNumber{++lastNumber}, *spec, std::move(*target));
  job->createdUs = row.createdUs;
  job->updatedUs = row.updatedUs;
  job->reason = row.reason;
  job->state = status->state;
  // The clock of the wall limit stands still while a job has ended.
  int64_t spentUs = status->startedUs > 0 ? status->endedUs - status->startedUs : 0;
  job->startedUs = status->endedUs > 0     ? tuning::unixMicroseconds() - spentUs
                   : trials->empty()       ? 0
                   : status->startedUs > 0 ? status->startedUs
                                           : row.createdUs;
  for (const store::TrialRow &trial : *trials) {
    job->addTrial(trial);
  }
  job->restored = std::move(*trials);
  admit(insert(std::move(job)));
  return llvm::Error::success();
}

void JobLoop::admit(Job &job) {
  tuning::scheduler::JobSpec spec = schedulerSpec(job.spec);
  spec.wasAdmitted = true; // by this or an earlier leader: the quota does not refuse it again
  spec.doneTrials = job.done;
  scheduler.submit(job.number, spec, now());
  if (job.state == JobState::Paused) {
    scheduler.pause(job.number, now());
  }
  queuePropose(job);
}

llvm::Expected<JobStatus> JobLoop::pause(const std::string &id) {
  llvm::Expected<Job *> job = require(id);
  if (!job) {
    return job.takeError();
  }
  scheduler.pause((*job)->number, now());
  return change(**job, JobState::Paused, "paused by a user");
}

llvm::Expected<JobStatus> JobLoop::resume(const std::string &id) {
  llvm::Expected<Job *> job = require(id);
  if (!job) {
    return job.takeError();
  }
  if ((*job)->state != JobState::Paused) {
    return apiError(ErrorCode::Conflict, "job " + id + " is not paused");
  }
  scheduler.resume((*job)->number, now());
  return change(**job, (*job)->startedUs > 0 ? JobState::Running : JobState::Queued, "");
}

llvm::Expected<JobStatus> JobLoop::cancel(const std::string &id) {
  llvm::Expected<Job *> found = require(id);
  if (!found) {
    return found.takeError();
  }
  Job &job = **found;
  JobEnd why{JobState::Cancelled, "cancelled by a user"};
  if (!job.isSearching) {
    if (llvm::Error error = end(job, why)) {
      return toApi(std::move(error));
    }
    return *board.find(id);
  }
  // A thread uses the job; endJobs() removes it.
  job.cancelled = why;
  return change(job, why.state, why.reason);
}

namespace {

/// Adds to the limits that the job has.
void addLimits(JobSpec &spec, const JobExtension &extension) {
  auto add = [](auto &limit, auto more) { limit += limit > 0 ? more : 0; };
  add(spec.maxTrials, extension.addTrials);
  add(spec.maxWallSeconds, extension.addWallSeconds);
  add(spec.maxDeviceSeconds, extension.addDeviceSeconds);
}

} // namespace

llvm::Expected<JobStatus> JobLoop::extend(const JobExtension &extension) {
  std::optional<JobStatus> status = board.find(extension.id);
  if (status && status->state == JobState::BudgetDone) {
    return reopen(extension);
  }
  llvm::Expected<Job *> found = require(extension.id);
  if (!found) {
    return found.takeError();
  }
  Job &job = **found;
  if (job.isSearching) {
    return apiError(ErrorCode::Conflict,
                    "job " + job.id + " is proposing configurations; extend it again in a second");
  }
  tuning::scheduler::Admission admission = scheduler.extend(job.number, extension.addTrials, now());
  if (!admission.isAdmitted) {
    return exhausted(admission.reason, admission.retrySeconds);
  }
  JobSpec spec = job.spec;
  addLimits(spec, extension);
  if (llvm::Error error = database.setJobSpec(job.id, toText(spec))) {
    return toApi(std::move(error));
  }
  job.setSpec(std::move(spec));
  queuePropose(job);
  return change(job, job.state, "extended by a user");
}

llvm::Expected<JobStatus> JobLoop::reopen(const JobExtension &extension) {
  llvm::Expected<std::vector<store::JobRow>> rows = database.jobs({extension.id, "", {}, 0});
  if (!rows) {
    return toApi(rows.takeError());
  }
  store::JobRow &row = rows->front();
  llvm::Expected<JobSpec> spec = specOf(row);
  if (!spec) {
    return spec.takeError();
  }
  addLimits(*spec, extension);
  row.spec = toText(*spec);
  row.state = name(JobState::Running).str();
  row.reason = "extended by a user";
  if (llvm::Error error = database.setJobSpec(row.id, row.spec)) {
    return toApi(std::move(error));
  }
  if (llvm::Error error = database.setJobState(row.id, row.state, row.reason)) {
    return toApi(std::move(error));
  }
  if (llvm::Error error = restore(row)) {
    return std::move(error);
  }
  board.publish(jobs.find(row.id)->second->status());
  return *board.find(row.id);
}

} // namespace convoy::service
