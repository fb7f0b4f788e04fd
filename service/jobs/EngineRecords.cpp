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
    return DeviceState::LOST;
  }
  if (worker.state == WorkerState::Quarantine || worker.hello.isQuarantined) {
    return DeviceState::QUARANTINED;
  }
  return worker.state == WorkerState::Drain ? DeviceState::DRAINING : DeviceState::ACTIVE;
}

DeviceStatus statusOf(const WorkerStatus &worker) {
  DeviceStatus status;
  status.set_name(worker.hello.name);
  status.set_device_class(worker.hello.deviceClass);
  status.set_state(stateOf(worker));
  status.set_reason(worker.hello.reason);
  status.set_trial(worker.hello.busy.empty() ? "" : worker.hello.busy.front());
  status.set_sentinel_ns(static_cast<double>(worker.hello.sentinelNs));
  status.set_frequency_mhz(static_cast<double>(worker.hello.kilohertz) / 1000);
  status.set_temperature_c(worker.hello.celsius);
  status.set_seen_us(tuning::unixMicroseconds() -
                     static_cast<int64_t>(worker.heardSecondsAgo * 1e6));
  return status;
}

WorkerState wantedState(DeviceState state) {
  return state == DeviceState::DRAINING      ? WorkerState::Drain
         : state == DeviceState::QUARANTINED ? WorkerState::Quarantine
                                             : WorkerState::Active;
}

} // namespace

llvm::Expected<DeviceList> Engine::listDevices() {
  llvm::Expected<std::map<std::string, int64_t>> measured = database.measuredByDevice();
  if (!measured) {
    return unavailable(measured.takeError());
  }
  DeviceList list;
  for (const WorkerStatus &worker : fleet.workers()) {
    if (worker.hello.role == "agent") {
      DeviceStatus &device = *list.add_devices();
      device = statusOf(worker);
      device.set_measured((*measured)[worker.hello.name]);
    }
  }
  return list;
}

llvm::Expected<DeviceStatus> Engine::changeDevice(const DeviceRequest &request, DeviceState state) {
  if (state == DeviceState::LOST) {
    return apiError(ErrorCode::Invalid, "a device cannot be set to LOST");
  }
  for (const WorkerStatus &worker : fleet.workers()) {
    if (worker.hello.role != "agent" || worker.hello.name != request.name()) {
      continue;
    }
    store::DeviceRow row;
    row.name = request.name();
    row.deviceClass = worker.hello.deviceClass;
    row.sentinelNs = worker.hello.sentinelNs;
    row.notes = "{}";
    row.seenUs = tuning::unixMicroseconds();
    WorkerState wanted = wantedState(state);
    if (llvm::Error error = database.putDevices(row)) {
      return unavailable(std::move(error));
    }
    if (llvm::Error error =
            database.setDeviceState(request.name(), name(wanted), request.reason())) {
      return unavailable(std::move(error));
    }
    fleet.setState(request.name(), wanted);
    DeviceStatus status = statusOf(worker);
    status.set_state(state);
    status.set_reason(request.reason());
    return status;
  }
  return apiError(ErrorCode::NotFound, "no device has the name '" + request.name() +
                                           "'; `convoy service devices list` shows them");
}

llvm::Expected<Usage> Engine::usage(const UsageQuery &query) {
  llvm::Expected<std::vector<store::UsageTotal>> totals =
      database.usage(query.project(), query.since_us());
  llvm::Expected<std::vector<store::ProjectRow>> projects = database.projects();
  if (!totals || !projects) {
    return unavailable(llvm::joinErrors(totals.takeError(), projects.takeError()));
  }
  Usage usage;
  std::map<std::string, double> sums;
  for (const store::UsageTotal &total : *totals) {
    UsageRow &row = *usage.add_rows();
    row.set_project(total.project);
    row.set_device_class(total.deviceClass);
    row.set_device_seconds(total.deviceSeconds);
    row.set_build_seconds(total.buildSeconds);
    row.set_trials(total.rows);
    sums[total.project] += total.deviceSeconds;
  }
  for (const store::ProjectRow &project : *projects) {
    if (query.project().empty() || query.project() == project.name) {
      ProjectUsage &used = *usage.add_projects();
      used.set_project(project.name);
      used.set_device_seconds(sums[project.name]);
      used.set_quota_device_seconds(project.quotaDeviceSeconds);
    }
  }
  return usage;
}

/// Returns the ids of the records that the jobs of a query have measured.
llvm::Expected<std::set<std::string>> Engine::recordsOf(const RecordsQuery &query) {
  llvm::Expected<std::vector<store::JobRow>> jobs =
      database.jobs({query.job(), query.project(), {}, 0});
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
  if (!query.job().empty() || !query.project().empty()) {
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
    bool isSelected = (query.target().empty() || record.target == query.target()) &&
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
  if (import.project().empty()) {
    return apiError(ErrorCode::Invalid, "project: expected a name");
  }
  llvm::Expected<tuning::RecordLines> lines = tuning::readLines(import.lines(), "records");
  if (!lines) {
    return apiError(ErrorCode::Invalid, llvm::toString(lines.takeError()));
  }
  return inLoop<ImportResult>(
      [this, project = import.project(), records = std::move(lines->records)] {
        return loop.importRecords(project, records);
      });
}

} // namespace convoy::service
