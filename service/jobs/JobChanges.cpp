// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes of jobs that users request. Each change is stored before it takes effect.

#include "service/jobs/JobLoop.h"
#include "service/jobs/JobText.h"
#include "service/jobs/StoreAnswers.h"

namespace convoy::service {
namespace {

/// Adds to the limits that the job has.
void addLimits(JobSpec &spec, const JobExtension &extension) {
  auto sum = [](auto limit, auto more) { return limit + (limit > 0 ? more : 0); };
  spec.set_max_trials(sum(spec.max_trials(), extension.add_trials()));
  spec.set_max_wall_seconds(sum(spec.max_wall_seconds(), extension.add_wall_seconds()));
  spec.set_max_device_seconds(sum(spec.max_device_seconds(), extension.add_device_seconds()));
}

} // namespace

llvm::Expected<Job *> JobLoop::require(const std::string &id) {
  auto found = jobs.find(id);
  if (found != jobs.end() && (!found->second->ending || found->second->network)) {
    return found->second.get();
  }
  std::optional<JobStatus> status = board.find(id);
  if (!status) {
    return apiError(ErrorCode::NotFound, "no job has the id '" + id + "'");
  }
  return apiError(ErrorCode::Conflict,
                  "job " + id + " has ended: " + name(status->state()) + ", " + status->reason());
}

llvm::Expected<JobStatus> JobLoop::change(Job &job, JobState state, const std::string &reason) {
  if (llvm::Error error = database.setJobState(job.id, name(state), reason)) {
    return toApiError(std::move(error));
  }
  job.state = state;
  job.reason = reason;
  job.updatedUs = tuning::unixMicroseconds();
  return publishNow(job);
}

llvm::Expected<JobStatus> JobLoop::pause(const std::string &id) {
  llvm::Expected<Job *> job = require(id);
  if (!job) {
    return job.takeError();
  }
  llvm::Expected<JobStatus> changed = change(**job, JobState::PAUSED, "paused by a user");
  if (changed) {
    scheduler.pause((*job)->number, now());
  }
  return changed;
}

llvm::Expected<JobStatus> JobLoop::resume(const std::string &id) {
  llvm::Expected<Job *> job = require(id);
  if (!job) {
    return job.takeError();
  }
  if ((*job)->state != JobState::PAUSED) {
    return apiError(ErrorCode::Conflict, "job " + id + " is not paused");
  }
  JobState state = (*job)->startedUs > 0 ? JobState::RUNNING : JobState::QUEUED;
  llvm::Expected<JobStatus> changed = change(**job, state, "");
  if (!changed) {
    return changed;
  }
  scheduler.resume((*job)->number, now());
  return publishNow(**job); // the scheduler estimates only jobs that may start
}

llvm::Expected<JobStatus> JobLoop::cancel(const std::string &id) {
  llvm::Expected<Job *> found = require(id);
  if (!found) {
    return found.takeError();
  }
  Job &job = **found;
  JobEnd why{JobState::CANCELLED, "canceled by a user"};
  if (!job.isSearching) {
    if (llvm::Error error = end(job, why)) {
      return toApiError(std::move(error));
    }
    return *board.find(id);
  }
  // A thread uses the job; endJobs() removes it.
  job.ending = why;
  return change(job, why.state, why.reason);
}

llvm::Expected<JobStatus> JobLoop::extend(const JobExtension &extension) {
  std::optional<JobStatus> status = board.find(extension.id());
  if (status && status->state() == JobState::BUDGET_DONE) {
    return reopen(extension);
  }
  llvm::Expected<Job *> found = require(extension.id());
  if (!found) {
    return found.takeError();
  }
  Job &job = **found;
  if (job.isSearching) {
    return apiError(ErrorCode::Conflict,
                    "job " + job.id + " is proposing configurations; extend it again in a second");
  }
  if (job.ending && !job.ending->isResult()) {
    return apiError(ErrorCode::Conflict, "job " + job.id + " ends: " + job.ending->reason);
  }
  service::scheduler::Admission admission =
      scheduler.extend(job.number, extension.add_trials(), now());
  if (!admission.isAdmitted) {
    return exhausted(admission.reason, admission.retrySeconds);
  }
  JobSpec spec = job.spec;
  addLimits(spec, extension);
  if (llvm::Error error = database.setJobSpec(job.id, toText(spec))) {
    scheduler.extend(job.number, -extension.add_trials(), now());
    return toApiError(std::move(error));
  }
  job.setSpec(std::move(spec));
  job.ending.reset(); // stored records answered the job without the extension
  job.reason = "extended by a user";
  queuePropose(job);
  return publishNow(job);
}

llvm::Expected<JobStatus> JobLoop::reopen(const JobExtension &extension) {
  if (llvm::Error error = finishWrite()) { // the rows of the job must be complete
    return toApiError(std::move(error));
  }
  llvm::Expected<std::vector<store::JobRow>> rows = database.jobs({extension.id(), "", {}, 0});
  if (!rows) {
    return toApiError(rows.takeError());
  }
  store::JobRow &row = rows->front();
  llvm::Expected<JobSpec> spec = specOf(row);
  llvm::Expected<JobStatus> status = statusOf(row);
  if (!spec || !status) {
    return llvm::joinErrors(spec.takeError(), status.takeError());
  }
  addLimits(*spec, extension);
  llvm::Expected<JobNumber> number = admit(*spec, status->trials_done());
  if (!number) {
    return number.takeError();
  }
  // The wall limit does not count the time while the job had ended.
  status->set_started_us(tuning::unixMicroseconds() - (status->ended_us() - status->started_us()));
  status->set_ended_us(0);
  row.progress = toText(*status);
  row.spec = toText(*spec);
  row.state = name(JobState::RUNNING).str();
  row.reason = "extended by a user";
  if (llvm::Error error = storeReopened(row)) {
    scheduler.remove(*number, now());
    return toApiError(std::move(error));
  }
  if (llvm::Error error = restore(row, *number)) {
    return toApiError(std::move(error));
  }
  return publishNow(*jobs.find(row.id)->second);
}

/// Writes the specification last: a call that is repeated after a failure adds the limits once.
llvm::Error JobLoop::storeReopened(const store::JobRow &row) {
  if (llvm::Error error = database.setJobProgress(row.id, row.progress)) {
    return error;
  }
  if (llvm::Error error = database.setJobState(row.id, row.state, row.reason)) {
    return error;
  }
  return database.setJobSpec(row.id, row.spec);
}

} // namespace convoy::service
