// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small engine in memory behind the servers under test: jobs that end after some steps, two
// devices, fixed measurements.

#pragma once

#include "service/api/TuningApi.h"
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

namespace convoy::service::test {

class MemoryApi : public TuningApi {
public:
  std::atomic<bool> isLeader{true};
  std::string leader;          // known to a standby
  std::atomic<int> steps{3};   // statuses of a watched job until it ends
  std::atomic<int> calls{0};   // of createJob
  std::atomic<int> watches{0}; // running
  std::chrono::milliseconds pause{5};

  llvm::Expected<BestAnswer> lookupBest(const BestQuery &query) override {
    if (!isLeader) {
      return standby(leader);
    }
    BestAnswer answer;
    for (const TaskUse &task : query.tasks) {
      BestOfTask &best = answer.tasks.emplace_back();
      best.key = task.key;
      if (task.key.rfind("known", 0) == 0) {
        best.configurations.push_back(
            {{"conv_direct", 2, "#kernel.conv_direct<block = 16>", "planar",
              "#graph.blocked<c = 16>"},
             1234.5,
             7,
             {"job-1", "device-0", "job-1/0/3", "convoy 0.3", 1700000000000000}});
      }
      best.isPassedOver = task.key == "passed";
    }
    return answer;
  }

  llvm::Expected<JobStatus> createJob(const JobSpec &spec) override {
    if (!isLeader) {
      return standby(leader);
    }
    ++calls;
    if (spec.targetClass.empty()) {
      return apiError(ErrorCode::Invalid, "field \"targetClass\": expected a class of devices");
    }
    if (spec.project == "poor") {
      return exhausted("project poor has used its 10 device-seconds", 2.5);
    }
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &[id, job] : jobs) {
      if (!spec.idempotencyKey.empty() && keys[id] == spec.idempotencyKey) {
        return job;
      }
    }
    JobStatus job;
    job.id = "job-" + std::to_string(jobs.size() + 1);
    job.project = spec.project;
    job.targetClass = spec.targetClass;
    job.priority = spec.priority;
    job.maxTrials = spec.maxTrials;
    job.createdUs = 1700000000000000;
    for (const TaskSpec &task : spec.tasks) {
      job.tasks.push_back({task.text, task.name, task.count, 4, 2000, 1000, {}});
    }
    keys[job.id] = spec.idempotencyKey;
    specs[job.id] = spec;
    return jobs[job.id] = job;
  }

  llvm::Expected<JobStatus> getJob(const std::string &id) override {
    return change(id, [](JobStatus &) { return llvm::Error::success(); });
  }

  llvm::Expected<std::vector<JobStatus>> listJobs(const JobFilter &filter) override {
    if (!isLeader) {
      return standby(leader);
    }
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<JobStatus> list;
    for (auto &[id, job] : jobs) {
      bool isWanted = filter.states.empty();
      for (JobState state : filter.states) {
        isWanted |= state == job.state;
      }
      if (isWanted && (filter.project.empty() || filter.project == job.project) &&
          static_cast<int64_t>(list.size()) < filter.limit) {
        list.push_back(job);
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
      if (isEnded(job.state)) {
        return apiError(ErrorCode::Conflict, "job " + job.id + " has ended");
      }
      job.state = JobState::Paused;
      return llvm::Error::success();
    });
  }
  llvm::Expected<JobStatus> resumeJob(const std::string &id) override {
    return setState(id, JobState::Running);
  }
  llvm::Expected<JobStatus> cancelJob(const std::string &id) override {
    return setState(id, JobState::Cancelled);
  }
  llvm::Expected<JobStatus> extendJob(const JobExtension &extension) override {
    return change(extension.id, [&](JobStatus &job) {
      job.maxTrials += extension.addTrials;
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
      text = records.empty() ? "{\"job\":\"" + query.job + "\"}\n" : records;
    }
    for (int part = 0; part < 3; ++part) {
      if (!reader(text)) {
        break;
      }
    }
    return query.target == "broken" ? llvm::createStringError("the store failed")
                                    : llvm::Error::success();
  }

  llvm::Expected<ImportResult> importRecords(const RecordsImport &import) override {
    if (!isLeader) {
      return standby(leader);
    }
    return ImportResult{static_cast<int64_t>(import.lines.size()), 1,
                        import.project == "p" ? 2 : 0};
  }

  llvm::Expected<std::vector<DeviceStatus>> listDevices() override {
    if (!isLeader) {
      return standby(leader);
    }
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<DeviceStatus> list;
    for (auto &[name, device] : devices) {
      list.push_back(device);
    }
    return list;
  }

  llvm::Expected<DeviceStatus> changeDevice(const DeviceChange &wanted) override {
    if (!isLeader) {
      return standby(leader);
    }
    std::lock_guard<std::mutex> lock(mutex);
    auto found = devices.find(wanted.name);
    if (found == devices.end()) {
      return apiError(ErrorCode::NotFound, "no device '" + wanted.name + "'");
    }
    found->second.state = wanted.state;
    found->second.reason = wanted.reason;
    return found->second;
  }

  llvm::Expected<Usage> usage(const UsageQuery &query) override {
    if (!isLeader) {
      return standby(leader);
    }
    Usage usage;
    usage.projects.push_back({query.project, 12.5, 100});
    usage.rows.push_back({query.project, "job-1", "avx512", 12.5, 30, 40, query.sinceUs});
    return usage;
  }

  llvm::Expected<Health> health() override {
    return Health{isLeader, isLeader ? "" : leader, 3, "0.3"};
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
      job.state = state;
      return llvm::Error::success();
    });
  }

  llvm::Error watch(const std::string &id, const JobWatcher &watcher) {
    for (;;) {
      auto step = change(id, [&](JobStatus &job) {
        if (job.state == JobState::Queued) {
          job.state = JobState::Running;
          job.defaultUs = 2000;
          job.startedUs = job.createdUs + 1;
        }
        job.trialsDone += 4;
        job.trialsRequested = job.trialsDone;
        job.bestUs = 2000.0 / (1 + static_cast<double>(job.trialsDone));
        if (job.trialsDone >= 4 * steps && job.state == JobState::Running) {
          job.state = JobState::Converged;
          job.reason = "nothing left to try";
          job.endedUs = job.createdUs + 1000000;
        }
        return llvm::Error::success();
      });
      if (!step) {
        return step.takeError();
      }
      if (!watcher(*step) || isEnded(step->state)) {
        return llvm::Error::success();
      }
      std::this_thread::sleep_for(pause);
    }
  }

  std::mutex mutex;
  std::map<std::string, JobStatus> jobs;
  std::map<std::string, std::string> keys; // of idempotency, by job
  std::map<std::string, DeviceStatus> devices{
      {"device-0",
       {"device-0", "avx512", DeviceState::Active, "", "job-1/0/3", 5e6, 2400, 61, 9, 1}},
      {"device-1", {"device-1", "avx512", DeviceState::Lost, "", "", 0, 0, 0, 0, 2}}};
};

} // namespace convoy::service::test
