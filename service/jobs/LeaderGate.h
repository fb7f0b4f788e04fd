// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes the calls of the API to the engine while this process leads. A standby answers only
// health(); its other calls fail with Unavailable, and clients try the next server.

#pragma once

#include "service/api/TuningApi.h"
#include <memory>
#include <mutex>

namespace convoy::service {

class LeaderGate : public TuningApi {
public:
  explicit LeaderGate(std::string version) : version(std::move(version)) {}

  /// Sets the engine that answers from now on; null: this process is a standby. Calls in progress
  /// keep the engine alive.
  void open(std::shared_ptr<TuningApi> engine);

  llvm::Expected<BestAnswer> lookupBest(const BestQuery &query) override;
  llvm::Expected<JobStatus> createJob(const JobSpec &spec) override;
  llvm::Expected<JobStatus> getJob(const std::string &id) override;
  llvm::Expected<JobList> listJobs(const JobFilter &filter) override;
  llvm::Error watchJob(const std::string &id, const JobWatcher &watcher) override;
  llvm::Expected<JobStatus> pauseJob(const std::string &id) override;
  llvm::Expected<JobStatus> resumeJob(const std::string &id) override;
  llvm::Expected<JobStatus> cancelJob(const std::string &id) override;
  llvm::Expected<JobStatus> extendJob(const JobExtension &extension) override;
  llvm::Error exportRecords(const RecordsQuery &query, const LinesReader &reader) override;
  llvm::Expected<ImportResult> importRecords(const RecordsImport &import) override;
  llvm::Expected<DeviceList> listDevices() override;
  llvm::Expected<DeviceStatus> changeDevice(const DeviceRequest &request,
                                            DeviceState state) override;
  llvm::Expected<Usage> usage(const UsageQuery &query) override;
  llvm::Expected<Health> health() override;

private:
  std::shared_ptr<TuningApi> current() const;

  std::string version;
  mutable std::mutex mutex;
  std::shared_ptr<TuningApi> engine;
};

} // namespace convoy::service
