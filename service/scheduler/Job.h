// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs, items, projects and their figures, as the caller of the scheduler sees them.

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace convoy::service::scheduler {

/// The stages of a round, in order. Propose needs a search slot, Build a build slot, Measure a
/// device of the job's class.
enum class Stage { Propose, Build, Measure };
constexpr size_t kStages = 3;
using PerStage = std::array<double, kStages>;

enum class JobId : int64_t {};

/// One piece of work: the proposal of a round, the build of a trial or its measurement.
struct Item {
  JobId job{};
  Stage stage = Stage::Propose;
  int64_t handle = 0; // chosen by the caller, unique inside job and stage

  bool operator==(const Item &other) const {
    return job == other.job && stage == other.stage && handle == other.handle;
  }
};

struct JobSpec {
  std::string project;
  std::string deviceClass;
  /// A job of a higher tier takes every free slot before jobs of lower tiers. It stops no item.
  int tier = 0;
  /// Trials that the job may use. 0: unknown; the estimates then assume kUnknownTrials.
  int64_t trials = 0;
  /// Trials that have already ended, for a job that another process has started.
  int64_t doneTrials = 0;
  /// Another process has admitted the job: submit() reserves device-seconds without a check.
  bool wasAdmitted = false;
  /// Trials of a round.
  int64_t batch = 16;
  /// Most builds and most measurements at a time; 0: no limit.
  int maxInFlight = 0;
};
constexpr int64_t kUnknownTrials = 512;

/// The aging bound of a job in multiples of its service time (its time alone in the pool). A job
/// with ready items that has started nothing since kAgingStart times its service time is served
/// first, so that its wait stays below kAgingBound times its service time.
constexpr double kAgingStart = 2, kAgingBound = 3;

struct ProjectLimits {
  double weight = 1;
  /// Device-seconds that the project may use per window. Windows start at multiples of
  /// windowSeconds.
  double quotaDeviceSeconds = std::numeric_limits<double>::infinity();
  double windowSeconds = 86400;
};

/// The answer to a request for trials.
struct Admission {
  bool isAdmitted = true;
  std::string reason;      // of a refusal
  double retrySeconds = 0; // of a refusal; 0: a retry does not help, the request must be smaller
};

struct JobStatus {
  bool isPaused = false;
  int64_t ready = 0, inFlight = 0;
  std::array<int64_t, kStages> finished{};
  PerStage usedSeconds{};
  /// Estimate of the largest remaining work / capacity of the job's resources.
  double remainingSeconds = 0;
  /// Estimate of the time of the whole job alone in the pool.
  double serviceSeconds = 0;
  /// Longest time with ready items and without a start, now included; and its largest ratio to
  /// the aging bound at that time.
  double longestWaitSeconds = 0, longestWaitOfBound = 0;
};

struct ProjectStatus {
  /// Accumulated share in seconds of the whole pool: mean of seconds / capacity over the three
  /// stages, divided by the weight. A project whose jobs did not wait starts again near the
  /// smallest share of the projects with waiting jobs, so unused share is not saved.
  double share = 0;
  double deviceSeconds = 0;         // used since the start
  double windowDeviceSeconds = 0;   // used in the current window
  double reservedDeviceSeconds = 0; // admitted and not yet used
};

struct PoolStatus {
  int searchSlots = 0, buildSlots = 0, devices = 0;
  int searching = 0, building = 0, measuring = 0;
};

} // namespace convoy::service::scheduler
