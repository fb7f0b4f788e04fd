// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of the engine that concern records, devices and usage.

#include "service/jobs/InLoop.h"
#include "service/jobs/JobText.h"
#include "tuning/records/JsonLines.h"

namespace convoy::service {
namespace {

constexpr size_t kExportBytes = 1 << 20;

llvm::Error unavailable(llvm::Error error) {
  return apiError(ErrorCode::Unavailable, llvm::toString(std::move(error)));
}

DeviceState stateOf(const WorkerStatus &worker) {
  if (!worker.isReachable) {
    return DeviceState::Lost;
  }
  if (worker.state == WorkerState::Quarantine || worker.hello.isQuarantined) {
    return DeviceState::Quarantined;
  }
  return worker.state == WorkerState::Drain ? DeviceState::Draining : DeviceState::Active;
}

DeviceStatus statusOf(const WorkerStatus &worker) {
  DeviceStatus status;
  status.name = worker.hello.name;
  status.deviceClass = worker.hello.deviceClass;
  status.state = stateOf(worker);
  status.reason = worker.hello.reason;
  status.trial = worker.hello.busy.empty() ? "" : worker.hello.busy.front();
  status.sentinelNs = static_cast<double>(worker.hello.sentinelNs);
  status.frequencyMhz = static_cast<double>(worker.hello.kilohertz) / 1000;
  status.temperatureC = worker.hello.celsius;
  status.seenUs = tuning::unixMicroseconds() - static_cast<int64_t>(worker.heardSecondsAgo * 1e6);
  return status;
}

WorkerState wantedState(DeviceState state) {
  return state == DeviceState::Draining      ? WorkerState::Drain
         : state == DeviceState::Quarantined ? WorkerState::Quarantine
                                             : WorkerState::Active;
}

} // namespace

llvm::Expected<std::vector<DeviceStatus>> Engine::listDevices() {
  std::vector<DeviceStatus> devices;
  for (const WorkerStatus &worker : fleet.workers()) {
    if (worker.hello.role == "agent") {
      devices.push_back(statusOf(worker));
    }
  }
  return devices;
}

llvm::Expected<DeviceStatus> Engine::changeDevice(const DeviceChange &change) {
  if (change.state == DeviceState::Lost) {
    return apiError(ErrorCode::Invalid, "a device cannot be set to LOST");
  }
  for (const WorkerStatus &worker : fleet.workers()) {
    if (worker.hello.role != "agent" || worker.hello.name != change.name) {
      continue;
    }
    store::DeviceRow row;
    row.name = change.name;
    row.deviceClass = worker.hello.deviceClass;
    row.sentinelNs = worker.hello.sentinelNs;
    row.notes = "{}";
    row.seenUs = tuning::unixMicroseconds();
    WorkerState wanted = wantedState(change.state);
    if (llvm::Error error = database.putDevices(row)) {
      return unavailable(std::move(error));
    }
    if (llvm::Error error = database.setDeviceState(change.name, name(wanted), change.reason)) {
      return unavailable(std::move(error));
    }
    fleet.setState(change.name, wanted);
    DeviceStatus status = statusOf(worker);
    status.state = change.state;
    status.reason = change.reason;
    return status;
  }
  return apiError(ErrorCode::NotFound,
                  "no device has the name '" + change.name + "'; `convoy devices list` shows them");
}

llvm::Expected<Usage> Engine::usage(const UsageQuery &query) {
  llvm::Expected<std::vector<store::UsageTotal>> totals =
      database.usage(query.project, query.sinceUs);
  llvm::Expected<std::vector<store::ProjectRow>> projects = database.projects();
  if (!totals || !projects) {
    return unavailable(llvm::joinErrors(totals.takeError(), projects.takeError()));
  }
  Usage usage;
  std::map<std::string, double> sums;
  for (const store::UsageTotal &total : *totals) {
    usage.rows.push_back({total.project, "", total.deviceClass, total.deviceSeconds,
                          total.buildSeconds, total.rows, 0});
    sums[total.project] += total.deviceSeconds;
  }
  for (const store::ProjectRow &project : *projects) {
    if (query.project.empty() || query.project == project.name) {
      usage.projects.push_back({project.name, sums[project.name], project.quotaDeviceSeconds});
    }
  }
  return usage;
}

/// Returns the ids of the records that the jobs of a query have measured.
llvm::Expected<std::set<std::string>> Engine::recordsOf(const RecordsQuery &query) {
  llvm::Expected<std::vector<store::JobRow>> jobs =
      database.jobs({query.job, query.project, {}, 0});
  if (!jobs) {
    return unavailable(jobs.takeError());
  }
  std::set<std::string> ids;
  for (const store::JobRow &job : *jobs) {
    llvm::Expected<std::vector<store::TrialRow>> trials = database.trials(job.id);
    if (!trials) {
      return unavailable(trials.takeError());
    }
    for (const store::TrialRow &trial : *trials) {
      ids.insert(recordId(trial.id));
    }
  }
  return ids;
}

llvm::Error Engine::exportRecords(const RecordsQuery &query, const LinesReader &reader) {
  std::optional<std::set<std::string>> ids;
  if (!query.job.empty() || !query.project.empty()) {
    llvm::Expected<std::set<std::string>> found = recordsOf(query);
    if (!found) {
      return found.takeError();
    }
    ids = std::move(*found);
  }
  std::string part = tuning::headerLine() + "\n";
  bool isWanted = true;
  auto addRecord = [&](store::StoredRecord &&stored) {
    const tuning::Record &record = stored.record;
    bool isSelected = (query.target.empty() || record.target == query.target) &&
                      (!ids || ids->count(record.trial) > 0);
    if (!isWanted || !isSelected) {
      return;
    }
    part += tuning::toJsonLine(record) + "\n";
    if (part.size() >= kExportBytes) {
      isWanted = reader(part);
      part.clear();
    }
  };
  if (llvm::Error error = database.forEachRecord(addRecord)) {
    return unavailable(std::move(error));
  }
  if (isWanted && !part.empty()) {
    reader(part);
  }
  return llvm::Error::success();
}

llvm::Expected<ImportResult> Engine::importRecords(const RecordsImport &import) {
  if (import.project.empty()) {
    return apiError(ErrorCode::Invalid, "project: expected a name");
  }
  llvm::Expected<tuning::RecordLines> lines = tuning::readLines(import.lines, "records");
  if (!lines) {
    return apiError(ErrorCode::Invalid, llvm::toString(lines.takeError()));
  }
  return inLoop<ImportResult>(
      [this, project = import.project, records = std::move(lines->records)] {
        return loop.importRecords(project, records);
      });
}

} // namespace convoy::service
