// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices and the usage ledger.

#include "StoreState.h"
#include "service/store/ArrayText.h"

namespace convoy::service::store {

llvm::Error Store::putDevices(llvm::ArrayRef<DeviceRow> devices) {
  ArrayText names, classes, states, reasons, sentinels, notes, times;
  for (const DeviceRow &device : devices) {
    names.add(device.name);
    classes.add(device.deviceClass);
    states.add(device.state);
    reasons.add(device.reason);
    sentinels.add(device.sentinelNs);
    notes.add(device.notes);
    times.add(device.seenUs);
  }
  // A statement may not update a row twice: the last row of a device counts.
  return state->write("store devices", [&](Transaction &transaction) {
    transaction.run(
        "insert into devices select distinct on (name) name, class, state, reason, sentinel, "
        "notes, "
        "seen from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], "
        "$6::text[], "
        "$7::bigint[]) with ordinality as input (name, class, state, reason, sentinel, notes, "
        "seen, "
        "place) order by name, place desc on conflict (name) do update set device_class = "
        "excluded.device_class, sentinel_ns = excluded.sentinel_ns, notes = excluded.notes, "
        "seen_us "
        "= excluded.seen_us",
        names.str(), classes.str(), states.str(), reasons.str(), sentinels.str(), notes.str(),
        times.str());
    return llvm::Error::success();
  });
}

llvm::Error Store::setDeviceState(llvm::StringRef device, llvm::StringRef deviceState,
                                  llvm::StringRef reason) {
  if (deviceState != "active" && deviceState != "drain" && deviceState != "quarantine") {
    return llvm::make_error<StoreError>(StoreError::Kind::Invalid,
                                        ("cannot set the state of device '" + device +
                                         "': expected active, drain or quarantine, got '" +
                                         deviceState + "'")
                                            .str());
  }
  return state->write("set the state of a device", [&](Transaction &transaction) -> llvm::Error {
    pqxx::result changed =
        transaction.run("update devices set state = $2, reason = $3 where name = $1", device.str(),
                        deviceState.str(), storableText(reason));
    if (changed.affected_rows() == 0) {
      return llvm::make_error<StoreError>(StoreError::Kind::NotFound,
                                          ("device '" + device + "' does not exist").str());
    }
    return llvm::Error::success();
  });
}

llvm::Expected<std::vector<DeviceRow>> Store::devices() {
  std::vector<DeviceRow> devices;
  llvm::Error error = state->read("read devices", [&](Transaction &transaction) {
    devices.clear();
    for (const pqxx::row &row :
         transaction.run("select name, device_class, state, reason, sentinel_ns, notes, seen_us "
                         "from devices order by name")) {
      devices.push_back({row[0].c_str(), row[1].c_str(), row[2].c_str(), row[3].c_str(),
                         row[4].as<int64_t>(), row[5].c_str(), row[6].as<int64_t>()});
    }
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  return devices;
}

llvm::Error Store::addUsage(llvm::ArrayRef<UsageRow> rows) {
  ArrayText projects, jobs, classes, deviceSeconds, buildSeconds, trials;
  for (const UsageRow &row : rows) {
    projects.add(row.project);
    jobs.add(row.job);
    classes.add(row.deviceClass);
    deviceSeconds.add(row.deviceSeconds);
    buildSeconds.add(row.buildSeconds);
    trials.add(row.trial);
  }
  return state->write("store usage", [&](Transaction &transaction) {
    transaction.run("insert into usage_ledger (project, job, device_class, device_seconds, "
                    "build_seconds, trial) select * from unnest($1::text[], $2::text[], "
                    "$3::text[], $4::float8[], $5::float8[], $6::text[]) on conflict do nothing",
                    projects.str(), jobs.str(), classes.str(), deviceSeconds.str(),
                    buildSeconds.str(), trials.str());
    return llvm::Error::success();
  });
}

llvm::Expected<std::map<std::string, int64_t>> Store::measuredByDevice() {
  std::map<std::string, int64_t> counts;
  llvm::Error error = state->read("count the trials of devices", [&](Transaction &transaction) {
    counts.clear();
    for (const pqxx::row &row : transaction.run("select device, count(*) from records where device "
                                                "<> '' group by device")) {
      counts[row[0].c_str()] = row[1].as<int64_t>();
    }
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  return counts;
}

llvm::Expected<std::vector<UsageTotal>> Store::usage(llvm::StringRef project, int64_t sinceUs,
                                                     int64_t untilUs) {
  std::vector<UsageTotal> totals;
  llvm::Error error = state->read("read the usage", [&](Transaction &transaction) {
    totals.clear();
    for (const pqxx::row &row : transaction.run(
             "select project, device_class, sum(device_seconds), sum(build_seconds), count(*) from "
             "usage_ledger where ($1 = '' or project = $1) and at_us >= $2 and ($3 = 0 or at_us < "
             "$3) group by project, device_class order by project, device_class",
             project.str(), sinceUs, untilUs)) {
      totals.push_back({row[0].c_str(), row[1].c_str(), row[2].as<double>(), row[3].as<double>(),
                        row[4].as<int64_t>()});
    }
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  return totals;
}

} // namespace convoy::service::store
