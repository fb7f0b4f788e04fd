// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of the tuning service, independent of the transport. The engine implements TuningApi;
// GrpcServer.h and JsonServer.h serve it; JsonClient.h implements it over a network. The messages
// are those of tuning.proto. docs/reference/tuning-api.md describes the calls.

#pragma once

#include "service/api/ApiError.h"
#include "tuning.pb.h"
#include <functional>
#include <string>

namespace convoy::service {

using namespace tuning::v1;

/// Returns whether a job in this state has ended. Only extendJob continues an ended job.
bool isEnded(JobState state);

/// Returns "QUEUED", "CACHED_HIT", ...
llvm::StringRef name(JobState state);
llvm::StringRef name(DeviceState state);
/// Returns false for an unknown name.
bool stateFromName(llvm::StringRef text, JobState &state);
/// Returns all names of an enum of states, separated by commas.
std::string stateNames(const google::protobuf::EnumDescriptor *states);

/// Returns false to end the stream.
using JobWatcher = std::function<bool(const JobStatus &)>;
using LinesReader = std::function<bool(llvm::StringRef lines)>;

/// All functions may be called from several threads at the same time. Errors are ApiErrors; the
/// servers report an error of another class as Internal.
class TuningApi {
public:
  virtual ~TuningApi() = default;

  /// Unknown keys are answered without configurations and are no error.
  virtual llvm::Expected<BestAnswer> lookupBest(const BestQuery &query) = 0;

  virtual llvm::Expected<JobStatus> createJob(const JobSpec &spec) = 0;
  virtual llvm::Expected<JobStatus> getJob(const std::string &id) = 0;
  virtual llvm::Expected<JobList> listJobs(const JobFilter &filter) = 0;
  /// Calls `watcher` at once, after each change and at least every 2 s, so that a server notices
  /// a client that is gone. Returns after the call with the final state, when the watcher returns
  /// false, or with Unavailable when the service stops.
  virtual llvm::Error watchJob(const std::string &id, const JobWatcher &watcher) = 0;
  virtual llvm::Expected<JobStatus> pauseJob(const std::string &id) = 0;
  virtual llvm::Expected<JobStatus> resumeJob(const std::string &id) = 0;
  virtual llvm::Expected<JobStatus> cancelJob(const std::string &id) = 0;
  virtual llvm::Expected<JobStatus> extendJob(const JobExtension &extension) = 0;

  /// Gives the records as JSON lines, in parts that end with a line end.
  virtual llvm::Error exportRecords(const RecordsQuery &query, const LinesReader &reader) = 0;
  virtual llvm::Expected<ImportResult> importRecords(const RecordsImport &import) = 0;

  virtual llvm::Expected<DeviceList> listDevices() = 0;
  /// `state` is ACTIVE, DRAINING or QUARANTINED.
  virtual llvm::Expected<DeviceStatus> changeDevice(const DeviceRequest &request,
                                                    DeviceState state) = 0;

  virtual llvm::Expected<Usage> usage(const UsageQuery &query) = 0;
  /// A standby answers this call only; its other calls fail with Unavailable.
  virtual llvm::Expected<Health> health() = 0;
};

} // namespace convoy::service
