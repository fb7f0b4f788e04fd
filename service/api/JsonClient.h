// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the tuning service over its JSON interface. `convoy` uses it.

#pragma once

#include "service/api/Failover.h"
#include "service/api/TuningApi.h"
#include "service/tls/TlsFiles.h"
#include <memory>

namespace convoy::service {

struct JsonClientOptions {
  std::string urls; // "https://HOST:PORT[,https://HOST:PORT..]"
  TlsFiles files;
  double connectSeconds = 5;
  double answerSeconds = 30;
  double patienceSeconds = 12; // for a standby to take over
};

class JsonClient : public TuningApi {
public:
  /// The error names a URL or a file that cannot be used. Connects at the first call.
  static llvm::Expected<std::unique_ptr<JsonClient>> create(const JsonClientOptions &options);
  ~JsonClient() override;

  llvm::Expected<BestAnswer> lookupBest(const BestQuery &query) override;
  llvm::Expected<JobStatus> createJob(const JobSpec &spec) override;
  llvm::Expected<JobStatus> getJob(const std::string &id) override;
  llvm::Expected<JobList> listJobs(const JobFilter &filter) override;
  /// Connects again if the stream breaks, also to another server.
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
  struct Connections;
  /// A call. A call that is not idempotent is sent again only if no server has received it.
  struct Call {
    const char *method;
    std::string path, body;
    bool isIdempotent = true;
  };

  explicit JsonClient(const JsonClientOptions &options);
  llvm::Expected<std::string> send(const Call &call);
  Attempt sendOnce(size_t server, const Call &call, std::string &answer);
  Attempt watchOnce(size_t server, const std::string &path, const JobWatcher &watcher);
  template <typename Answer>
  llvm::Expected<Answer> ask(const Call &call);
  llvm::Expected<JobStatus> changeJob(const std::string &id, const char *verb);

  JsonClientOptions options;
  Failover failover;
  std::unique_ptr<Connections> connections;
};

} // namespace convoy::service
