// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates jobs, and restores the jobs that an earlier process has stored.

#include "service/jobs/JobLoop.h"
#include "service/jobs/JobText.h"
#include "service/jobs/RecordAnswer.h"
#include "service/jobs/StoreAnswers.h"

namespace convoy::service {
namespace {

service::scheduler::JobSpec schedulerSpec(const JobSpec &spec) {
  service::scheduler::JobSpec result;
  result.project = spec.project();
  result.deviceClass = spec.target_class();
  result.tier = static_cast<int>(spec.priority());
  result.trials = spec.max_trials();
  result.batch = spec.batch();
  return result;
}

} // namespace

void JobLoop::useRecords(Job &job) const {
  RecordAnswer stored = recordAnswer(job.spec, *job.target, best);
  job.warning = latencyWarning(job.spec, stored);
  if (!job.spec.ignores_stored()) {
    job.setStored(stored.choices, stored.us());
    job.ending = endByRecords(job.spec, stored);
  }
}

llvm::Expected<JobStatus> JobLoop::create(const JobSpec &spec, const targets::Target &target) {
  store::JobRow row = newRow(spec);
  if (!spec.idempotency_key().empty() &&
      byKey.count({spec.project(), spec.idempotency_key()}) > 0) {
    return earlierJob(row);
  }
  llvm::Expected<JobNumber> number = admit(spec, /*doneTrials=*/0);
  if (!number) {
    return number.takeError();
  }
  auto made = std::make_unique<Job>(row.id, *number, spec, target);
  useRecords(*made);                     // endJobs() ends a job that needs no trial
  row.progress = toText(made->status()); // a new leader restores what the records say now
  llvm::Expected<store::CreatedJob> stored = database.createJob(row, taskRows(row.id, spec));
  if (!stored || !stored->isNew) {
    // An earlier call may have stored the job without an answer.
    scheduler.remove(*number, now());
    return stored ? earlierJob(row) : toApiError(stored.takeError());
  }
  if (!row.idempotencyKey.empty()) {
    byKey[{row.project, row.idempotencyKey}] = row.id;
  }
  made->createdUs = made->updatedUs = stored->job.createdUs;
  Job &job = insert(std::move(made));
  queuePropose(job);
  return publishNow(job);
}

llvm::Expected<JobStatus> JobLoop::earlierJob(const store::JobRow &row) {
  // The store compares the specification with the first one of the key.
  llvm::Expected<store::CreatedJob> stored = database.createJob(row, {});
  if (!stored) {
    return toApiError(stored.takeError());
  }
  if (!board.find(stored->job.id)) {
    if (llvm::Error error = restore(stored->job)) {
      return toApiError(std::move(error));
    }
    publish(/*isForced=*/true);
  }
  return *board.find(stored->job.id);
}

llvm::Expected<JobLoop::JobNumber> JobLoop::admit(const JobSpec &spec, int64_t doneTrials) {
  JobNumber number{++lastNumber};
  service::scheduler::JobSpec wanted = schedulerSpec(spec);
  wanted.doneTrials = doneTrials;
  service::scheduler::Admission admission = scheduler.submit(number, wanted, now());
  if (!admission.isAdmitted) {
    return exhausted(admission.reason, admission.retrySeconds);
  }
  return number;
}

Job &JobLoop::insert(std::unique_ptr<Job> job) {
  Job &inserted = *job;
  byNumber[job->number] = job.get();
  jobs[job->id] = std::move(job);
  return inserted;
}

llvm::Error JobLoop::refuse(const store::JobRow &row, const std::string &why) {
  options.say(why);
  JobStatus status;
  status.set_id(row.id);
  status.set_project(row.project);
  status.set_state(JobState::FAILED);
  status.set_reason(why);
  status.set_created_us(row.createdUs);
  llvm::Error error = isEndedRow(row)
                          ? llvm::Error::success()
                          : database.setJobState(row.id, name(status.state()), status.reason());
  board.publish(std::move(status));
  return error;
}

llvm::Error JobLoop::restore(const store::JobRow &row, std::optional<JobNumber> number) {
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
  llvm::Expected<JobSpec> spec = specOf(row);
  if (!spec) {
    return spec.takeError();
  }
  llvm::Expected<targets::Target> target = targets::parseTarget(spec->target(), "job " + row.id);
  if (!target) {
    return target.takeError();
  }
  llvm::Expected<std::vector<store::TrialRow>> trials = database.trials(row.id);
  if (!trials) {
    return trials.takeError();
  }
  auto job = std::make_unique<Job>(row.id, number ? *number : JobNumber{++lastNumber}, *spec,
                                   std::move(*target));
  job->createdUs = row.createdUs;
  job->updatedUs = row.updatedUs;
  job->reason = row.reason;
  job->state = status->state();
  for (const store::TrialRow &trial : *trials) {
    job->addTrial(trial);
  }
  job->restored = std::move(*trials);
  job->restore(*status);
  Job &restored = insert(std::move(job));
  if (!number) {
    // An earlier leader has admitted the job: the quota does not refuse it again.
    service::scheduler::JobSpec known = schedulerSpec(*spec);
    known.wasAdmitted = true;
    known.doneTrials = restored.done;
    scheduler.submit(restored.number, known, now());
  }
  if (restored.state == JobState::PAUSED) {
    scheduler.pause(restored.number, now());
  }
  queuePropose(restored);
  return llvm::Error::success();
}

} // namespace convoy::service
