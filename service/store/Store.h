// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system of record of the tuning service: jobs, trials, records, devices and usage in
// PostgreSQL. One process leads and writes; a standby process waits for the leadership. The engine
// (service/jobs) decides what is written.
//
// Every function may be called from any thread; calls are executed one after the other. A
// broken connection is replaced by the next call, with back-off. Errors are StoreErrors.

#pragma once

#include "service/store/Rows.h"
#include "service/store/StoreError.h"
#include "tuning/records/RecordStore.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace convoy::service::store {

struct StoreOptions {
  /// A connection string or URI of libpq. What it leaves open comes from libpq's environment
  /// (PGHOST, PGSSLCERT, ...).
  std::string connection;
  /// A call tries for this time to replace a broken connection before it returns Unavailable.
  double reconnectSeconds = 5;
};

struct CreatedJob {
  JobRow job;
  bool isNew = true; // false: the job existed under the same key
};

/// Selects jobs. Empty fields select all.
struct JobFilter {
  std::string id;
  std::string project;
  std::vector<std::string> states;
  int64_t limit = 0; // the newest jobs; 0: no limit
};

class Store {
public:
  /// Connects. The schema is not checked: call migrate().
  static llvm::Expected<std::unique_ptr<Store>> open(const StoreOptions &options);
  ~Store();

  /// Applies the missing migrations, each once, in one transaction. Several processes may call
  /// it at the same time. A schema that is newer than this program is an error.
  llvm::Error migrate();

  /// Tries to become the leader. Returns the new epoch, or nothing if another process leads. A
  /// leader that calls it again keeps its epoch. After a broken connection, the leadership is lost
  /// and must be won again, with a new epoch.
  llvm::Expected<std::optional<int64_t>> tryLead();
  /// Asks the server, which takes one round trip, or about 5 s in a partition.
  bool isLeading();
  /// Gives the leadership back, so that a standby need not wait for a time-out.
  void resign();
  /// Lets this store write in an epoch that another store of the same process has won.
  void useEpoch(int64_t epoch);
  /// The epoch of this store's writes; 0 before the first tryLead() that won.
  int64_t epoch() const;

  // Writes. Each checks in its transaction that the store's epoch is the newest, and fails with
  // LostLeadership otherwise.

  llvm::Error putProject(const ProjectRow &project);

  /// Creates a job with its tasks. If the project has a job with the same idempotency key and the
  /// same spec, returns it unchanged. The same key with another spec is a Conflict. An unknown
  /// project is created with weight 1 and no quota.
  llvm::Expected<CreatedJob> createJob(const JobRow &job, llvm::ArrayRef<TaskRow> tasks);
  llvm::Error setJobState(llvm::StringRef job, llvm::StringRef state, llvm::StringRef reason);
  llvm::Error setJobProgress(llvm::StringRef job, llvm::StringRef progressJson);
  /// Replaces the spec, for example by one with a larger budget. The idempotency key still stands
  /// for the first spec.
  llvm::Error setJobSpec(llvm::StringRef job, llvm::StringRef specJson);

  /// Adds the trials of proposed rounds. Trials that exist are skipped.
  llvm::Error addTrials(llvm::ArrayRef<TrialRow> trials);
  /// Notes the progress of trials. Trials that are done, and steps of an older attempt, are
  /// skipped.
  llvm::Error stepTrials(llvm::ArrayRef<TrialStep> steps);
  /// Stores results, with the usage and the record of each. Element i is true if results[i] is the
  /// first result of its trial, and false if the trial had one: then nothing of it is stored. An
  /// unknown trial is NotFound, and nothing is stored.
  llvm::Expected<std::vector<bool>> finishTrials(llvm::ArrayRef<TrialResult> results);

  /// Adds records that do not belong to a trial of a job, for example imported ones. Known trial
  /// ids are skipped.
  llvm::Expected<tuning::Added> addRecords(llvm::ArrayRef<tuning::Record> records);
  llvm::Error addVerdicts(llvm::ArrayRef<tuning::Verdict> verdicts);

  /// Adds devices, or updates their class, sentinel, notes and time. The wanted state of a known
  /// device stays.
  llvm::Error putDevices(llvm::ArrayRef<DeviceRow> devices);
  llvm::Error setDeviceState(llvm::StringRef device, llvm::StringRef state, llvm::StringRef reason);

  /// Adds usage that finishTrials() does not add. Not idempotent without a trial.
  llvm::Error addUsage(llvm::ArrayRef<UsageRow> rows);

  // Reads. A standby may call them, too.

  llvm::Expected<std::vector<ProjectRow>> projects();
  /// Returns the jobs in the order of their creation.
  llvm::Expected<std::vector<JobRow>> jobs(const JobFilter &filter = {});
  /// Returns the tasks of a job by index.
  llvm::Expected<std::vector<TaskRow>> tasks(llvm::StringRef job);
  /// Returns the trials of a job by round and place.
  llvm::Expected<std::vector<TrialRow>> trials(llvm::StringRef job);
  /// Calls the function for every record by trial id. All records belong to one view. Uses its own
  /// connection, so other calls go on.
  llvm::Error forEachRecord(llvm::function_ref<void(StoredRecord &&)> call);
  llvm::Expected<std::vector<tuning::Verdict>> verdicts();
  llvm::Expected<std::vector<DeviceRow>> devices();
  /// Returns the sums from a time until another (0: now), for one project or (empty) for all.
  /// Counts the measured trials by the name of the device.
  llvm::Expected<std::map<std::string, int64_t>> measuredByDevice();
  llvm::Expected<std::vector<UsageTotal>> usage(llvm::StringRef project = {}, int64_t sinceUs = 0,
                                                int64_t untilUs = 0);

private:
  struct State;
  explicit Store(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace convoy::service::store
