// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/LeaderGate.h"

namespace convoy::service {

void LeaderGate::open(std::shared_ptr<TuningApi> next) {
  std::lock_guard<std::mutex> lock(mutex);
  engine = std::move(next);
}

std::shared_ptr<TuningApi> LeaderGate::current() const {
  std::lock_guard<std::mutex> lock(mutex);
  return engine;
}

llvm::Expected<BestAnswer> LeaderGate::lookupBest(const BestQuery &query) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->lookupBest(query) : standby("");
}

llvm::Expected<JobStatus> LeaderGate::createJob(const JobSpec &spec) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->createJob(spec) : standby("");
}

llvm::Expected<JobStatus> LeaderGate::getJob(const std::string &id) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->getJob(id) : standby("");
}

llvm::Expected<JobList> LeaderGate::listJobs(const JobFilter &filter) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->listJobs(filter) : standby("");
}

llvm::Error LeaderGate::watchJob(const std::string &id, const JobWatcher &watcher) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->watchJob(id, watcher) : standby("");
}

llvm::Expected<JobStatus> LeaderGate::pauseJob(const std::string &id) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->pauseJob(id) : standby("");
}

llvm::Expected<JobStatus> LeaderGate::resumeJob(const std::string &id) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->resumeJob(id) : standby("");
}

llvm::Expected<JobStatus> LeaderGate::cancelJob(const std::string &id) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->cancelJob(id) : standby("");
}

llvm::Expected<JobStatus> LeaderGate::extendJob(const JobExtension &extension) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->extendJob(extension) : standby("");
}

llvm::Error LeaderGate::exportRecords(const RecordsQuery &query, const LinesReader &reader) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->exportRecords(query, reader) : standby("");
}

llvm::Expected<ImportResult> LeaderGate::importRecords(const RecordsImport &import) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->importRecords(import) : standby("");
}

llvm::Expected<DeviceList> LeaderGate::listDevices() {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->listDevices() : standby("");
}

llvm::Expected<DeviceStatus> LeaderGate::changeDevice(const DeviceRequest &request,
                                                      DeviceState state) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->changeDevice(request, state) : standby("");
}

llvm::Expected<Usage> LeaderGate::usage(const UsageQuery &query) {
  std::shared_ptr<TuningApi> leader = current();
  return leader ? leader->usage(query) : standby("");
}

llvm::Expected<Health> LeaderGate::health() {
  if (std::shared_ptr<TuningApi> leader = current()) {
    return leader->health();
  }
  Health health;
  health.set_version(version);
  return health;
}

} // namespace convoy::service
