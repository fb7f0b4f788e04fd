// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows that the store of the tuning service reads and writes. service/store/migrations
// declares the tables.

#pragma once

#include "tuning/records/Record.h"
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace convoy::service::store {

struct ProjectRow {
  std::string name;
  double weight = 1;             // share of the resources relative to other projects
  double quotaDeviceSeconds = 0; // 0: no limit
};

struct JobRow {
  std::string id;
  std::string project;
  /// Chosen by the client. A second job of the project with the same key is the first job. Empty:
  /// every creation is a new job.
  std::string idempotencyKey;
  std::string spec;     // JSON, as the client asked for it
  std::string progress; // JSON, for WatchJob; empty before the first setJobProgress
  std::string state;    // QUEUED, RUNNING, ... of the service's interface
  std::string reason;   // why the job has this state
  int priority = 0;
  int64_t createdUs = 0; // set by the store, as is updatedUs
  int64_t updatedUs = 0;
};

struct TaskRow {
  std::string job;
  int64_t index = 0;
  std::string name;
  std::string text; // the canonical text of the task
  int64_t count = 1;
  double weight = 1;
};

/// Identifies a trial: a place in a round of a job's search.
struct TrialId {
  std::string job;
  int64_t round = 0;
  int64_t place = 0;

  /// Returns "<job>/<round>/<place>", the id in messages.
  std::string text() const;
  auto fields() const { return std::tie(job, round, place); }
  friend bool operator==(const TrialId &a, const TrialId &b) { return a.fields() == b.fields(); }
  friend bool operator<(const TrialId &a, const TrialId &b) { return a.fields() < b.fields(); }
};

/// Parses TrialId::text(). Nothing if the text has another form.
std::optional<TrialId> trialIdFromText(llvm::StringRef text);

/// A trial only moves forward, except for a failed attempt: then the engine starts it again from
/// `Requested` or `Built`.
enum class TrialState { Requested, Building, Built, Measuring, Done };

/// Returns "requested", "building", "built", "measuring" or "done".
llvm::StringRef name(TrialState state);
std::optional<TrialState> trialStateFromName(llvm::StringRef name);

/// The result of a trial. A trial has one, whatever happens.
struct TrialResult {
  TrialId id;
  int attempt = 1;
  tuning::Outcome outcome = tuning::Outcome::Ok;
  std::string message; // why the outcome is not ok
  std::vector<tuning::Sample> samples;
  int64_t sentinelNs = 0;
  std::string artifact; // SHA-256 of the library; empty if nothing was built
  std::string builder;
  std::string device;
  std::string deviceClass;
  double buildSeconds = 0;   // charged to the job's project, as is measureSeconds
  double measureSeconds = 0; // device-seconds
  /// Stored with the result if the result is the first. Nothing: the trial gives no record.
  std::optional<tuning::Record> record;
};

struct TrialRow {
  TrialId id;
  int64_t task = 0; // TaskRow::index
  tuning::Configuration configuration;
  TrialState state = TrialState::Requested;
  int attempt = 0;       // of the stage that was started last
  std::string candidate; // JSON of the built candidate, for a trial that waits for its device
  int64_t epoch = 0;     // of the last write; set by the store
  /// Present if the state is Done. `record` is not read back.
  std::optional<TrialResult> result;
};

/// A record and its origin. Both names are empty for a record that does not belong to a trial of a
/// job.
struct StoredRecord {
  tuning::Record record;
  std::string job, device;
};

/// A step of a trial before its result.
struct TrialStep {
  TrialId id;
  TrialState state = TrialState::Building; // not Done
  int attempt = 1;
  std::string candidate; // JSON; empty keeps the stored one
};

struct DeviceRow {
  std::string name;
  std::string deviceClass;
  std::string state = "active"; // the state wanted: active, drain, quarantine
  std::string reason;           // why the device has this state
  int64_t sentinelNs = 0;
  std::string notes; // JSON: frequency, temperature, CPU
  int64_t seenUs = 0;
};

/// One line of the usage ledger. Lines are added and never changed.
struct UsageRow {
  std::string project;
  std::string job;
  std::string deviceClass;
  double deviceSeconds = 0;
  double buildSeconds = 0;
  std::string trial; // TrialId::text(); empty for other work, for example a confirming run
  int64_t atUs = 0;  // set by the store
};

/// The sum of the usage of one project on one device class.
struct UsageTotal {
  std::string project;
  std::string deviceClass;
  double deviceSeconds = 0;
  double buildSeconds = 0;
  int64_t rows = 0;
};

} // namespace convoy::service::store
