// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The share and the quota of a project inside the scheduler.

#pragma once

#include "service/scheduler/IndexedHeap.h"
#include "service/scheduler/Job.h"

namespace convoy::service::scheduler {

class Project {
public:
  explicit Project(std::string name) : name(std::move(name)) { busy.owner = this; }

  /// Adds `seconds` of a resource with `capacity` places to the share, which counts seconds of the
  /// whole pool: a project that alone keeps all three resources busy gains 1 per second. Negative
  /// seconds reduce later charges, so the share never decreases; queues rely on it.
  void charge(double seconds, int capacity);
  /// Raises the share of a project that has become backlogged: unused share is not saved.
  void raiseShare(double least);
  double share() const { return shareSeconds; }

  /// Checks the quota and reserves device-seconds if it suffices.
  Admission reserve(double deviceSeconds, double now);
  void release(double deviceSeconds) { reserved -= deviceSeconds; }
  /// Reserves without a check.
  void restore(double deviceSeconds) { reserved += deviceSeconds; }
  void use(double deviceSeconds, double now);

  ProjectStatus status() const { return {shareSeconds, used, usedInWindow, reserved}; }

  const std::string name;
  ProjectLimits limits;
  HeapSlot<Project> busy; // queued while the project has waiting jobs
  int waitingJobs = 0;

private:
  /// Starts a new window of the quota if the last one has ended.
  void openWindow(double now);

  double shareSeconds = 0, pending = 0;
  double used = 0, usedInWindow = 0, reserved = 0;
  double window = 0; // number of the current window
};

} // namespace convoy::service::scheduler
