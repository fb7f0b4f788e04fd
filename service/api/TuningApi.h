// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of the tuning service, independent of the transport. The engine implements TuningApi;
// GrpcServer.h and JsonServer.h serve it; GrpcClient.h and JsonClient.h implement it over a
// network. ApiFields.h lists the fields for the transports: a new field needs a line there and in
// tuning.proto. docs/reference/tuning-api.md describes the calls.

#pragma once

#include "service/api/ApiError.h"
#include "tuning/space/Configuration.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace convoy::service {

enum class JobState {
  Queued,
  CachedHit, ///< ended: all tasks had measurements
  Running,
  Paused,
  SlaMet,     ///< ended: the latency to reach was reached
  BudgetDone, ///< ended: trials, wall time or device time are used up
  Converged,  ///< ended: the search has nothing left to try
  Cancelled,  ///< ended by a user
  Failed,     ///< ended: see the reason
};

enum class DeviceState {
  Active,
  Draining,    ///< finishes its measurement and takes no new one
  Quarantined, ///< takes no measurement because its times are not trusted
  Lost,        ///< not heard of for some time
};

/// Returns whether a job in this state has ended. Only extendJob continues an ended job.
bool isEnded(JobState state);

/// Returns "QUEUED", "CACHED_HIT", ...
llvm::StringRef name(JobState state);
llvm::StringRef name(DeviceState state);
/// Returns false for an unknown name.
bool stateFromName(llvm::StringRef text, JobState &state);
bool stateFromName(llvm::StringRef text, DeviceState &state);
/// Returns all names, separated by commas.
std::string stateNames(JobState);
std::string stateNames(DeviceState);

struct TaskSpec {
  std::string name; // readable; not part of the key
  std::string text; // canonical text; its SHA-256 is the key
  int64_t count = 1;
  double weight = 0; // share of the model's time; 0 for all tasks: equal shares
};

struct JobSpec {
  std::string project;
  /// Two calls with the same project and key create one job. Empty: always a new job.
  std::string idempotencyKey;
  /// The SHA-256 of an ONNX file in the blob store. Empty: `tasks` are given.
  std::string model;
  std::vector<TaskSpec> tasks;
  std::string targetClass; // class of the devices that measure
  std::string target;      // the target as JSON text, which determines its fingerprint
  int64_t threads = 1;
  std::string objective = "latency";
  double latencyUs = 0; // stop at this time per inference; 0: never
  // Limits; 0: none.
  int64_t maxTrials = 0;
  double maxWallSeconds = 0;
  double maxDeviceSeconds = 0;
  int64_t priority = 0; // higher runs first
  std::string searcher = "mixed";
  uint64_t seed = 0;
  int64_t batch = 8; // trials per round
  /// Search even if stored measurements answer the request.
  bool ignoresStored = false;
};

struct TaskStatus {
  std::string key, name;
  int64_t count = 1;
  int64_t trials = 0;
  double defaultNs = 0, bestNs = 0;    // of one run, or instructions; 0: not measured
  tuning::Configuration configuration; // the best
};

struct JobStatus {
  std::string id, project;
  JobState state = JobState::Queued;
  std::string reason;
  std::string targetClass;
  /// How the devices measure. With "instructions", a nanosecond stands for one instruction.
  std::string policy;
  int64_t priority = 0;
  int64_t trialsRequested = 0, trialsDone = 0, trialsFailed = 0;
  int64_t maxTrials = 0;
  double defaultUs = 0, bestUs = 0; // estimates of one inference; 0: unknown
  double deviceSeconds = 0;         // used
  int64_t createdUs = 0, startedUs = 0, updatedUs = 0, endedUs = 0; // Unix time; 0: not yet
  std::vector<TaskStatus> tasks;                                    // empty in lists
};

struct JobFilter {
  std::string project;          // empty: all
  std::vector<JobState> states; // empty: all
  int64_t limit = 100;          // newest first
};

/// Limits to add to a job. A job that ended with BudgetDone continues.
struct JobExtension {
  std::string id;
  int64_t addTrials = 0;
  double addWallSeconds = 0, addDeviceSeconds = 0;
};

struct TemplateVersion {
  std::string id;
  int64_t version = 0;
};

/// A task of the network, and the number of kernels with this task.
struct TaskUse {
  std::string key;
  int64_t count = 1;
};

struct BestQuery {
  std::vector<TaskUse> tasks;
  std::string target; // fingerprint
  std::string policy;
  std::vector<TemplateVersion> templates; // the compiler's versions
};

struct Provenance {
  std::string job, device, trial, compiler;
  int64_t unixUs = 0;
};

struct BestConfiguration {
  tuning::Configuration configuration;
  double ns = 0;       // of one run: the median of the clean samples
  int64_t samples = 0; // clean samples
  Provenance provenance;
};

/// The fastest configuration per pair of layouts, fastest first.
struct BestOfTask {
  std::string key;
  /// The task has measurements, but none of them won in this network. The service leaves it false.
  bool isPassedOver = false;
  std::vector<BestConfiguration> configurations; // empty: unknown task
};

struct BestAnswer {
  std::vector<BestOfTask> tasks; // in the order of the query
};

struct RecordsQuery {
  std::string project, job, target; // each empty: all
};

struct RecordsImport {
  std::string project;
  std::string lines; // as tuning/records/JsonLines.h writes them
};

struct ImportResult {
  int64_t added = 0, known = 0;
  int64_t remeasured = 0; // trials that were scheduled to confirm the best records
};

struct DeviceStatus {
  std::string name, deviceClass;
  DeviceState state = DeviceState::Active;
  std::string reason;
  std::string trial;                         // being measured; empty: idle
  double sentinelNs = 0;                     // 0: not measured
  double frequencyMhz = 0, temperatureC = 0; // 0: not shown by the system
  int64_t measured = 0;                      // trials
  int64_t seenUs = 0;                        // last sign of life, Unix time
};

struct DeviceChange {
  std::string name;
  DeviceState state = DeviceState::Active; // Active, Draining or Quarantined
  std::string reason;
};

struct UsageQuery {
  std::string project;              // empty: all
  int64_t sinceUs = 0, untilUs = 0; // Unix time; 0: no limit
};

/// A row of the ledger.
struct UsageRow {
  std::string project, job, deviceClass;
  double deviceSeconds = 0, buildSeconds = 0;
  int64_t trials = 0;
  int64_t unixUs = 0;
};

struct ProjectUsage {
  std::string project;
  double deviceSeconds = 0;
  double quotaDeviceSeconds = 0; // 0: no quota
};

struct Usage {
  std::vector<ProjectUsage> projects;
  std::vector<UsageRow> rows;
};

struct Health {
  bool isLeader = false;
  std::string leader; // URL of the leader, if known
  int64_t epoch = 0;
  std::string version;
};

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
  virtual llvm::Expected<std::vector<JobStatus>> listJobs(const JobFilter &filter) = 0;
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

  virtual llvm::Expected<std::vector<DeviceStatus>> listDevices() = 0;
  virtual llvm::Expected<DeviceStatus> changeDevice(const DeviceChange &change) = 0;

  virtual llvm::Expected<Usage> usage(const UsageQuery &query) = 0;
  /// A standby answers this call only; its other calls fail with Unavailable.
  virtual llvm::Expected<Health> health() = 0;

  llvm::Expected<DeviceStatus> drainDevice(const std::string &name, const std::string &reason) {
    return changeDevice({name, DeviceState::Draining, reason});
  }
  llvm::Expected<DeviceStatus> quarantineDevice(const std::string &name,
                                                const std::string &reason) {
    return changeDevice({name, DeviceState::Quarantined, reason});
  }
  llvm::Expected<DeviceStatus> activateDevice(const std::string &name) {
    return changeDevice({name, DeviceState::Active, ""});
  }
};

} // namespace convoy::service
