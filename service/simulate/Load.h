// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input of a simulation: a pool, jobs with release dates, and the seconds of their stages.
// Loads have names, or come from a JSON file (LoadFile.h).

#pragma once

#include "service/scheduler/Job.h"
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::service {

using service::scheduler::PerStage;
using service::scheduler::Stage;

/// Recorded seconds of each stage. A job draws its mean from them, and an item varies around it.
struct StageSamples {
  std::array<std::vector<double>, service::scheduler::kStages> seconds;
};

/// A job of the simulation.
struct LoadJob {
  std::string project, deviceClass;
  double releaseSeconds = 0;
  int tier = 0;
  int64_t rounds = 1, batch = 16;
  PerStage meanSeconds{};
  double proposeGrowthSeconds = 0; // per round
  uint64_t seed = 0;

  int64_t trials() const { return rounds * batch; }
  /// Returns the seconds of one item. It depends only on the job and the item, so every policy
  /// schedules the same work.
  double itemSeconds(Stage stage, int64_t handle) const;
};

struct Load {
  std::string name;
  int searchSlots = 1, buildSlots = 1;
  std::map<std::string, int> devices; // by class
  std::vector<LoadJob> jobs;          // by release date

  int deviceCount() const;
};

/// The shape of a built-in load.
struct LoadShape {
  std::string_view name, summary;
  int jobs, searchSlots, buildSlots, classes, devicesPerClass, projects;
  int64_t fewestRounds, mostRounds;
  /// Release dates are spread evenly over this part of the time that the work needs.
  double releaseSpan;
};

const std::vector<LoadShape> &loadShapes();
const LoadShape *findLoadShape(std::string_view name);

/// Returns a load of this shape. Stages without samples use these times: 2 to 12 s per proposal,
/// about 1.4 s per build, about 0.6 s per measurement.
Load makeLoad(const LoadShape &shape, uint64_t seed, const StageSamples &samples = {});

/// Puts the jobs in the order of their release dates, which the simulation expects.
void sortByRelease(Load &load);

/// Returns the shortest time in which any schedule can end: the work of each resource after each
/// release date, and the proposals of each job, which are sequential.
double lowerBoundSeconds(const Load &load);

/// Returns the time of a job alone in the pool without overlap: each round proposes, then builds,
/// then measures, on all slots of the pool.
double aloneSeconds(const Load &load, const LoadJob &job);

} // namespace convoy::service
