// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the tuning service over gRPC, for the tests. Programs of users generate their own clients
// from tuning.proto.

#pragma once

#include "service/api/Failover.h"
#include "service/api/TuningApi.h"
#include "service/tls/TlsFiles.h"
#include "tuning.grpc.pb.h"
#include <memory>

namespace convoy::service {

struct GrpcClientOptions {
  std::string addresses; // "HOST:PORT[,HOST:PORT..]"
  TlsFiles files;
  double answerSeconds = 30;
  double patienceSeconds = 12; // for a standby to take over
};

class GrpcClient : public TuningApi {
public:
  static llvm::Expected<std::unique_ptr<GrpcClient>> create(const GrpcClientOptions &options);
  ~GrpcClient() override;

  llvm::Expected<BestAnswer> lookupBest(const BestQuery &query) override;
  llvm::Expected<JobStatus> createJob(const JobSpec &spec) override;
  llvm::Expected<JobStatus> getJob(const std::string &id) override;
  llvm::Expected<JobList> listJobs(const JobFilter &filter) override;
  /// Does not connect again if the stream breaks.
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
  struct Channels;
  explicit GrpcClient(const GrpcClientOptions &options);
  /// A call of the stub.
  template <typename Query, typename Answer>
  using StubCall = grpc::Status (Tuning::Stub::*)(grpc::ClientContext *, const Query &, Answer *);
  template <typename Query, typename Answer>
  llvm::Expected<Answer> ask(const Query &query, StubCall<Query, Answer> call,
                             bool isIdempotent = true);

  GrpcClientOptions options;
  Failover failover;
  std::unique_ptr<Channels> channels;
};

} // namespace convoy::service
