// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/JobText.h"
#include "service/api/ApiJson.h"

namespace convoy::service {
namespace {

llvm::Error inJob(const store::JobRow &row, llvm::Error error) {
  return llvm::createStringError("job " + row.id +
                                 " in the database: " + llvm::toString(std::move(error)));
}

} // namespace

std::string toText(const JobSpec &spec) { return toJson(spec); }
std::string toText(const JobStatus &status) { return toJson(status); }

llvm::Expected<JobSpec> specOf(const store::JobRow &row) {
  llvm::Expected<JobSpec> spec = fromJson<JobSpec>(row.spec, UnknownFields::Ignore);
  if (!spec) {
    return inJob(row, spec.takeError());
  }
  return std::move(*spec);
}

llvm::Expected<JobStatus> statusOf(const store::JobRow &row) {
  JobStatus status;
  if (!row.progress.empty()) {
    llvm::Expected<JobStatus> stored = fromJson<JobStatus>(row.progress, UnknownFields::Ignore);
    if (!stored) {
      return inJob(row, stored.takeError());
    }
    status = std::move(*stored);
  }
  status.set_id(row.id);
  status.set_project(row.project);
  status.set_reason(row.reason);
  status.set_created_us(row.createdUs);
  status.set_updated_us(row.updatedUs);
  JobState state = JobState::FAILED;
  if (!stateFromName(row.state, state)) {
    state = JobState::FAILED;
    status.set_reason("unknown state '" + row.state + "' in the database");
  }
  status.set_state(state);
  return status;
}

bool isEndedRow(const store::JobRow &row) {
  JobState state;
  return !stateFromName(row.state, state) || isEnded(state);
}

std::string compilerText() { return "convoy " CONVOY_VERSION; }

std::string recordId(const store::TrialId &trial) {
  return tuning::sha256(trial.text()).substr(0, 32);
}

store::JobRow newRow(const JobSpec &spec) {
  store::JobRow row;
  row.id = "j" + tuning::newTrialId().substr(0, 12);
  row.project = spec.project();
  row.idempotencyKey = spec.idempotency_key();
  row.spec = toText(spec);
  row.state = name(JobState::QUEUED).str();
  row.priority = static_cast<int>(spec.priority());
  return row;
}

std::vector<store::TaskRow> taskRows(const std::string &job, const JobSpec &spec) {
  std::vector<store::TaskRow> rows;
  for (const TaskSpec &task : spec.tasks()) {
    auto index = static_cast<int64_t>(rows.size());
    rows.push_back({job, index, task.name(), task.text(), task.count(), task.weight()});
  }
  return rows;
}

} // namespace convoy::service
