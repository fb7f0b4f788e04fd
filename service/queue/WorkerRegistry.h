// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builders and devices that said hello, and the state that the operator wants for each. The
// dispatcher owns one registry. The class uses no clock of its own; times are seconds of a
// monotonic clock.

#pragma once

#include "tuning/dispatch/Dispatcher.h"
#include <nlohmann/json_fwd.hpp>
#include <utility>

namespace convoy::service {

enum class WorkerState {
  Active,
  Drain,      ///< Finishes its work and takes no more.
  Quarantine, ///< Takes no work, because its measurements are not trusted.
};

/// Returns "active", "drain" or "quarantine".
llvm::StringRef name(WorkerState state);
std::optional<WorkerState> workerStateFromName(llvm::StringRef name);

/// What a worker reports in its hello. Zero: the system does not show it.
struct WorkerHello {
  std::string name;
  std::string role; // "builder" or "agent"
  std::string deviceClass;
  int slots = 1;
  std::string cpu; // the CPU's name
  int64_t sentinelNs = 0;
  double sentinelDrift = 0; // relative to the fastest sentinel time of this device
  int64_t kilohertz = 0;
  double celsius = 0;
  /// The device has put itself into quarantine; `reason` says why.
  bool isQuarantined = false;
  std::string reason;
  std::vector<std::string> busy; // the trials in work
};

nlohmann::json toJson(const WorkerHello &hello);
llvm::Expected<WorkerHello> helloFromJson(llvm::StringRef text);

struct WorkerStatus {
  WorkerHello hello;
  WorkerState state = WorkerState::Active; // set by the operator
  double heardSecondsAgo = 0;
  bool isReachable = false;

  /// Whether the worker takes new work.
  bool takesWork() const {
    return isReachable && state == WorkerState::Active && !hello.isQuarantined;
  }
};

class WorkerRegistry {
public:
  explicit WorkerRegistry(double heardSeconds) : heardSeconds(heardSeconds) {}

  /// Returns the state that the reply carries.
  WorkerState hear(WorkerHello hello, double now);
  /// Returns whether a worker came or changed its places since the last call.
  bool takeNews() { return std::exchange(hasNews, false); }
  void setState(llvm::StringRef worker, WorkerState state);
  std::vector<WorkerStatus> list(double now) const;
  /// Counts the places of workers that take work.
  tuning::Capacity capacity(double now) const;
  /// Counts the places of workers that may hold a lease: those heard within a minute.
  tuning::Capacity leases(double now) const;

private:
  struct Entry {
    WorkerHello hello;
    double heard = 0;
    bool hasSaidHello = false;
    WorkerState state = WorkerState::Active;
  };
  tuning::Capacity count(double now, double maxAge, bool isTakingWork) const;

  double heardSeconds;
  bool hasNews = false;
  std::map<std::string, Entry> entries;
};

} // namespace convoy::service
