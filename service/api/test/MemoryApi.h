// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small engine in memory behind the servers under test: jobs that end after some steps, two
// devices, fixed measurements.

#pragma once

#include "service/api/TuningApi.h"
#include <atomic>
#include <chrono>
#include <google/protobuf/text_format.h>
#include <map>
#include <mutex>
#include <thread>

namespace convoy::service::test {

/// Returns the message of a text of protobuf.
template <typename Message>
Message parsed(const std::string &text) {
  Message message;
  if (!google::protobuf::TextFormat::ParseFromString(text, &message)) {
    llvm::report_fatal_error(llvm::StringRef("not a message: " + text));
  }
  return message;
}

class MemoryApi : public TuningApi {
public:
  std::atomic<bool> isLeader{true};
  std::string leader;          // known to a standby
  std::atomic<int> steps{3};   // statuses of a watched job until it ends
  std::atomic<int> calls{0};   // of createJob
  std::atomic<int> refused{0}; // calls of createJob to a standby
  std::atomic<int> watches{0}; // running
  std::chrono::milliseconds pause{5};

  llvm::Expected<BestAnswer> lookupBest(const BestQuery &query) override {
    if (!isLeader) {
      return standby(leader);
    }
    BestAnswer answer;
    for (const TaskUse &task : query.tasks()) {
      BestOfTask &best = *answer.add_tasks();
      best.set_key(task.key());
      if (task.key().rfind("known", 0) == 0) {
        *best.add_configurations() = parsed<BestConfiguration>(
            R"(configuration { template_id: "conv_direct" template_version: 2
                               text: "#kernel.conv_direct<block = 16>"
                               output_layout: "#graph.blocked<c = 16>" }
               ns: 1234.5 samples: 7
               provenance { job: "job-1" device: "device-0" trial: "job-1/0/3"
                            compiler: "convoy 0.3" unix_us: 1700000000000000 })");
      }
      best.set_is_passed_over(task.key() == "passed");
    }
    return answer;
  }

  llvm::Expected<JobStatus> createJob(const JobSpec &spec) override {
    if (!isLeader) {
      ++refused;
      return standby(leader);
    }
    ++calls;
    if (spec.target_class().empty()) {
      return apiError(ErrorCode::Invalid, "field \"targetClass\": expected a class of devices");
    }
    if (spec.project() == "poor") {
      return exhausted("project poor has used its 10 device-seconds", 2.5);
    }
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &[id, job] : jobs) {
      if (!spec.idempotency_key().empty() && keys[id] == spec.idempotency_key()) {
        return job;
      }
    }
    JobStatus job;
    job.set_id("job-" + std::to_string(jobs.size() + 1));
    job.set_project(spec.project());
    job.set_state(JobState::QUEUED);
    job.set_target_class(spec.target_class());
    job.set_priority(spec.priority());
    job.set_max_trials(spec.max_trials());
    job.set_created_us(1700000000000000);
    for (const TaskSpec &task : spec.tasks()) {
      TaskStatus &status = *job.add_tasks();
      status.set_key(task.text());
      status.set_name(task.name());
      status.set_count(task.count());
      status.set_trials(4);
      status.set_default_ns(2000);
      status.set_best_ns(1000);
    }
    keys[job.id()] = spec.idempotency_key();
    specs[job.id()] = spec;
    return jobs[job.id()] = job;
  }

  llvm::Expected<JobStatus> getJob(const std::string &id) override {
    return change(id, [](JobStatus &) { return llvm::Error::success(); });
  }

  llvm::Expected<JobList> listJobs(const JobFilter &filter) override {
    if (!isLeader) {
      return standby(leader);
    }
    std::lock_guard<std::mutex> lock(mutex);
    JobList list;
    for (auto &[id, job] : jobs) {
      bool isWanted = filter.states().empty();
      for (int state : filter.states()) {
        isWanted |= state == job.state();
      }
      if (isWanted && (filter.project().empty() || filter.project() == job.project()) &&
          list.jobs_size() < filter.limit()) {
        *list.add_jobs() = job;
      }
    }
    return list;
  }

  llvm::Error watchJob(const std::string &id, const JobWatcher &watcher) override {
    ++watches;
    llvm::Error error = watch(id, watcher);
    --watches;
    return error;
  }

  llvm::Expected<JobStatus> pauseJob(const std::string &id) override {
    return change(id, [](JobStatus &job) -> llvm::Error {
      if (isEnded(job.state())) {
        return apiError(ErrorCode::Conflict, "job " + job.id() + " has ended");
      }
      job.set_state(JobState::PAUSED);
      return llvm::Error::success();
    });
  }
  llvm::Expected<JobStatus> resumeJob(const std::string &id) override {
    return setState(id, JobState::RUNNING);
  }
  llvm::Expected<JobStatus> cancelJob(const std::string &id) override {
    return setState(id, JobState::CANCELLED);
  }
  llvm::Expected<JobStatus> extendJob(const JobExtension &extension) override {
    return change(extension.id(), [&](JobStatus &job) {
      job.set_max_trials(job.max_trials() + extension.add_trials());
      return llvm::Error::success();
    });
  }

  llvm::Error exportRecords(const RecordsQuery &query, const LinesReader &reader) override {
    if (!isLeader) {
      return standby(leader);
    }
    std::string text;
    {
      std::lock_guard<std::mutex> lock(mutex);
      text = records.empty() ? "{\"job\":\"" + query.job() + "\"}\n" : records;
    }
    for (int part = 0; part < 3; ++part) {
      if (!reader(text)) {
        break;
      }
    }
    return query.target() == "broken" ? llvm::createStringError("the store failed")
                                      : llvm::Error::success();
  }

  llvm::Expected<ImportResult> importRecords(const RecordsImport &import) override {
    if (!isLeader) {
      return standby(leader);
    }
    ImportResult result;
    result.set_added(static_cast<int64_t>(import.lines().size()));
    result.set_known(1);
    result.set_remeasured(import.project() == "p" ? 2 : 0);
    return result;
  }

  llvm::Expected<DeviceList> listDevices() override {
    if (!isLeader) {
      return standby(leader);
    }
    std::lock_guard<std::mutex> lock(mutex);
    DeviceList list;
    for (auto &[name, device] : devices) {
      *list.add_devices() = device;
    }
    return list;
  }

  llvm::Expected<DeviceStatus> changeDevice(const DeviceRequest &wanted,
                                            DeviceState state) override {
    if (!isLeader) {
      return standby(leader);
    }
    std::lock_guard<std::mutex> lock(mutex);
    auto found = devices.find(wanted.name());
    if (found == devices.end()) {
      return apiError(ErrorCode::NotFound, "no device '" + wanted.name() + "'");
    }
    found->second.set_state(state);
    found->second.set_reason(wanted.reason());
    return found->second;
  }

  llvm::Expected<Usage> usage(const UsageQuery &query) override {
    if (!isLeader) {
      return standby(leader);
    }
    Usage usage;
    auto &project = *usage.add_projects();
    project.set_project(query.project());
    project.set_device_seconds(12.5);
    project.set_quota_device_seconds(100);
    auto &row = *usage.add_rows();
    row.set_project(query.project());
    row.set_job("job-1");
    row.set_unix_us(query.since_us());
    return usage;
  }

  llvm::Expected<Health> health() override {
    Health health;
    health.set_is_leader(isLeader);
    health.set_leader(isLeader ? "" : leader);
    health.set_epoch(3);
    health.set_version("0.3");
    return health;
  }

  std::map<std::string, JobSpec> specs; // by job
  std::string records;                  // for exportRecords

private:
  template <typename Change>
  llvm::Expected<JobStatus> change(const std::string &id, Change call) {
    if (!isLeader) {
      return standby(leader);
    }
    std::lock_guard<std::mutex> lock(mutex);
    auto found = jobs.find(id);
    if (found == jobs.end()) {
      return apiError(ErrorCode::NotFound, "no job '" + id + "'");
    }
    if (llvm::Error error = call(found->second)) {
      return std::move(error);
    }
    return found->second;
  }

  llvm::Expected<JobStatus> setState(const std::string &id, JobState state) {
    return change(id, [&](JobStatus &job) {
      job.set_state(state);
      return llvm::Error::success();
    });
  }

  llvm::Error watch(const std::string &id, const JobWatcher &watcher) {
    for (;;) {
      auto step = change(id, [&](JobStatus &job) {
        if (job.state() == JobState::QUEUED) {
          job.set_state(JobState::RUNNING);
          job.set_default_us(2000);
          job.set_started_us(job.created_us() + 1);
        }
        job.set_trials_done(job.trials_done() + 4);
        job.set_trials_requested(job.trials_done());
        job.set_best_us(2000.0 / (1 + static_cast<double>(job.trials_done())));
        if (job.trials_done() >= 4 * steps && job.state() == JobState::RUNNING) {
          job.set_state(JobState::CONVERGED);
          job.set_reason("nothing left to try");
          job.set_ended_us(job.created_us() + 1000000);
        }
        return llvm::Error::success();
      });
      if (!step) {
        return step.takeError();
      }
      if (!watcher(*step) || isEnded(step->state())) {
        return llvm::Error::success();
      }
      std::this_thread::sleep_for(pause);
    }
  }

  std::mutex mutex;
  std::map<std::string, JobStatus> jobs;
  std::map<std::string, std::string> keys; // of idempotency, by job
  std::map<std::string, DeviceStatus> devices{
      {"device-0", parsed<DeviceStatus>(R"(name: "device-0" device_class: "avx512" state: ACTIVE
          trial: "job-1/0/3" sentinel_ns: 5e6 frequency_mhz: 2400 temperature_c: 61 measured: 9
          seen_us: 1)")},
      {"device-1",
       parsed<DeviceStatus>(R"(name: "device-1" device_class: "avx512" state: LOST seen_us: 2)")}};
};

} // namespace convoy::service::test
