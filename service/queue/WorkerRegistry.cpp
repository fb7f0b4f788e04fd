// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the last hello of each worker and counts places.

#include "service/queue/WorkerRegistry.h"
#include "service/queue/JsonFields.h"

using nlohmann::json;

namespace convoy::service {

// The longest time that a worker without a hello may still hold a lease.
static constexpr double kLeaseSeconds = 60;

llvm::StringRef name(WorkerState state) {
  switch (state) {
  case WorkerState::Active:
    return "active";
  case WorkerState::Drain:
    return "drain";
  case WorkerState::Quarantine:
    return "quarantine";
  }
  llvm_unreachable("unknown WorkerState");
}

std::optional<WorkerState> workerStateFromName(llvm::StringRef text) {
  for (WorkerState state : {WorkerState::Active, WorkerState::Drain, WorkerState::Quarantine}) {
    if (name(state) == text) {
      return state;
    }
  }
  return std::nullopt;
}

json toJson(const WorkerHello &hello) {
  return {{"name", hello.name},
          {"role", hello.role},
          {"class", hello.deviceClass},
          {"slots", hello.slots},
          {"cpu", hello.cpu},
          {"sentinelNs", hello.sentinelNs},
          {"sentinelDrift", hello.sentinelDrift},
          {"kilohertz", hello.kilohertz},
          {"celsius", hello.celsius},
          {"isQuarantined", hello.isQuarantined},
          {"reason", hello.reason},
          {"busy", hello.busy}};
}

llvm::Expected<WorkerHello> helloFromJson(llvm::StringRef text) {
  llvm::Expected<json> object = parseObject(text, "a hello");
  if (!object) {
    return object.takeError();
  }
  JsonFields fields(*object);
  WorkerHello hello;
  hello.name = fields.text("name");
  hello.role = fields.text("role");
  hello.deviceClass = fields.text("class", "");
  hello.slots = static_cast<int>(fields.integer("slots", 1));
  hello.cpu = fields.text("cpu", "");
  hello.sentinelNs = fields.integer("sentinelNs", 0);
  hello.sentinelDrift = fields.number("sentinelDrift", 0);
  hello.kilohertz = fields.integer("kilohertz", 0);
  hello.celsius = fields.number("celsius", 0);
  hello.isQuarantined = fields.flag("isQuarantined", false);
  hello.reason = fields.text("reason", "");
  for (const json &trial : fields.part("busy")) {
    if (trial.is_string()) {
      hello.busy.push_back(trial.get<std::string>());
    }
  }
  if (llvm::Error error = fields.problem("a hello")) {
    return std::move(error);
  }
  return hello;
}

WorkerState WorkerRegistry::hear(WorkerHello hello, double now) {
  Entry &entry = entries[hello.name];
  hasNews |= !entry.hasSaidHello || now - entry.heard > heardSeconds ||
             entry.hello.slots != hello.slots || entry.hello.deviceClass != hello.deviceClass;
  entry.hello = std::move(hello);
  entry.heard = now;
  entry.hasSaidHello = true;
  return entry.state;
}

void WorkerRegistry::setState(llvm::StringRef worker, WorkerState state) {
  entries[worker.str()].state = state;
}

std::vector<WorkerStatus> WorkerRegistry::list(double now) const {
  std::vector<WorkerStatus> workers;
  for (const auto &[name, entry] : entries) {
    if (entry.hasSaidHello) {
      double age = now - entry.heard;
      workers.push_back({entry.hello, entry.state, age, age <= heardSeconds});
    }
  }
  return workers;
}

tuning::Capacity WorkerRegistry::count(double now, double maxAge, bool isTakingWork) const {
  tuning::Capacity capacity;
  for (const auto &[name, entry] : entries) {
    bool isCounted =
        entry.hasSaidHello && now - entry.heard <= maxAge &&
        (!isTakingWork || (entry.state == WorkerState::Active && !entry.hello.isQuarantined));
    if (!isCounted) {
      continue;
    }
    if (entry.hello.role == "builder") {
      capacity.builds += entry.hello.slots;
    } else {
      capacity.devices[entry.hello.deviceClass] += entry.hello.slots;
    }
  }
  return capacity;
}

tuning::Capacity WorkerRegistry::capacity(double now) const {
  return count(now, heardSeconds, /*isTakingWork=*/true);
}

tuning::Capacity WorkerRegistry::leases(double now) const {
  return count(now, std::max(heardSeconds, kLeaseSeconds), /*isTakingWork=*/false);
}

} // namespace convoy::service
