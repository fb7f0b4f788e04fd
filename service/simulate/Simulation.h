// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a load on a virtual clock. The simulation drives the scheduler of the service and plays the
// part of the searches, the builders and the devices. A job proposes round k when the results of
// round k - 1 - lookAhead have arrived; each build goes to a device when it ends.

#pragma once

#include "service/scheduler/Scheduler.h"
#include "service/simulate/Load.h"
#include <memory>

namespace convoy::service {

/// Faults that the simulation injects. A mean of 0 means never.
struct FaultPlan {
  double workerDeathSeconds = 0; // mean time between deaths of a builder, over the pool
  double deviceLossSeconds = 0;  // mean time between losses of a device, over the pool
  double hungTrialShare = 0;     // share of measurements that never end
  double leaseSeconds = 15;      // an item of a dead worker is abandoned after this time
  double returnSeconds = 60;     // a worker or device returns after this time
  double trialLimitSeconds = 30; // a hung measurement is abandoned after this time
};

struct SimulationOptions {
  int lookAhead = 1;
  FaultPlan faults;
  uint64_t seed = 0; // of the faults
  service::scheduler::SchedulerOptions scheduler;
  bool keepsSpans = false; // for the chart
};

/// One item on one slot, for the chart.
struct Span {
  size_t job = 0; // of the load
  Stage stage = Stage::Propose;
  int slot = 0; // of the resource
  double start = 0, end = 0;
  bool isLost = false;
};

struct JobOutcome {
  double endSeconds = 0, slowdown = 0;
  double longestWaitSeconds = 0, longestWaitOfBound = 0;
  int64_t trials = 0;
};

struct SimulationResult {
  std::vector<JobOutcome> jobs;
  double makespanSeconds = 0, lowerBoundSeconds = 0;
  double deviceUse = 0, buildUse = 0; // busy share of the slots until the last job ends
  /// Jain's index of the device-seconds of two projects while both have waiting items, for the
  /// worst pair; 1 if no pair has waited together for kShareSeconds.
  double jainIndex = 1;
  int64_t trials = 0, abandoned = 0;
  double schedulerSeconds = 0; // CPU time inside the scheduler
  std::vector<Span> spans;
};
/// Shorter common backlogs say nothing about shares: an item lasts seconds.
constexpr double kShareSeconds = 300;

SimulationResult simulate(const Load &load, std::unique_ptr<service::scheduler::Policy> policy,
                          const SimulationOptions &options);

} // namespace convoy::service
