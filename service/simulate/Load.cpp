// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built-in loads and their bounds.

#include "service/simulate/Load.h"
#include "service/simulate/Random.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

namespace convoy::service {
namespace {

using service::scheduler::kStages;

/// Seconds of the first proposal, a build and a measurement. The training of the cost model makes
/// proposals linearly slower: 12 s after 64 rounds.
constexpr PerStage kMeanSeconds = {2, 1.4, 0.6};
constexpr double kProposeGrowth = 10.0 / 64;

/// Items of one job vary by this standard deviation of the logarithm; so do the means of jobs.
constexpr double kItemSpread = 0.15, kJobSpread = 0.2;

// A quarter of the CPUs are search slots. docs/benchmarks/scheduling.md states how the sizes and
// release spans were chosen and how the figures depend on them.
const std::vector<LoadShape> kShapes = {
    // name, summary, jobs, search, build, classes, devices, projects, rounds, release span
    {"burst-8", "8 jobs at once, 8 CPUs, 2 devices", 8, 2, 6, 1, 2, 2, 2, 64, 0},
    {"cpu-bound-40", "40 jobs, 4 CPUs, 2+2 devices", 40, 1, 3, 2, 2, 2, 2, 64, 0.55},
    {"device-bound-24", "24 jobs, 32 CPUs, 1+1 devices", 24, 8, 24, 2, 1, 2, 2, 64, 0.2},
    {"balanced-60", "60 jobs, 12 CPUs, 2+2 devices", 60, 3, 9, 2, 2, 2, 2, 64, 0.7},
    {"jobs-1000", "1,000 jobs, 96 CPUs, 4x10 devices", 1000, 24, 72, 4, 10, 4, 2, 64, 0.7},
    {"devices-1000", "4,000 jobs, 3,200 CPUs, 10x100 devices", 4000, 800, 2400, 10, 100, 4, 2, 64,
     0.5},
};

double meanSeconds(size_t stage, Random &random, const StageSamples &samples) {
  const std::vector<double> &recorded = samples.seconds[stage];
  if (!recorded.empty()) {
    return recorded[random.below(recorded.size())];
  }
  return kMeanSeconds[stage] * std::exp(kJobSpread * random.normal());
}

/// Returns the seconds of each resource that a job needs.
PerStage workOf(const LoadJob &job) {
  PerStage work{};
  for (size_t stage = 0; stage < kStages; ++stage) {
    int64_t items = stage == 0 ? job.rounds : job.trials();
    for (int64_t handle = 0; handle < items; ++handle) {
      work[stage] += job.itemSeconds(static_cast<Stage>(stage), handle);
    }
  }
  return work;
}

/// Returns when the last of `count` items ends if `slots` slots take them in order.
double listSchedule(const LoadJob &job, Stage stage, int64_t first, int64_t count, int slots) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  double end = 0;
  for (int64_t i = 0; i < count; ++i) {
    double start = 0;
    if (free.size() >= static_cast<size_t>(std::max(slots, 1))) {
      start = free.top();
      free.pop();
    }
    free.push(start + job.itemSeconds(stage, first + i));
    end = std::max(end, start + job.itemSeconds(stage, first + i));
  }
  return end;
}

/// Returns the largest of release date + later work / capacity. Jobs are in order of release.
double resourceBound(const Load &load, const std::vector<PerStage> &work, size_t stage,
                     const std::string *deviceClass, int capacity) {
  double bound = 0, later = 0;
  for (size_t i = load.jobs.size(); i-- > 0;) {
    if (!deviceClass || load.jobs[i].deviceClass == *deviceClass) {
      later += work[i][stage];
      bound = std::max(bound, load.jobs[i].releaseSeconds + later / std::max(capacity, 1));
    }
  }
  return bound;
}

} // namespace

double LoadJob::itemSeconds(Stage stage, int64_t handle) const {
  Random random(seed ^ (static_cast<uint64_t>(handle) * 4 + static_cast<uint64_t>(stage) + 1));
  double mean = meanSeconds[static_cast<size_t>(stage)];
  if (stage == Stage::Propose) {
    mean += proposeGrowthSeconds * static_cast<double>(handle);
  }
  return mean * std::exp(kItemSpread * random.normal());
}

int Load::deviceCount() const {
  return std::accumulate(devices.begin(), devices.end(), 0,
                         [](int sum, const auto &it) { return sum + it.second; });
}

const std::vector<LoadShape> &loadShapes() { return kShapes; }

const LoadShape *findLoadShape(std::string_view name) {
  auto found = std::find_if(kShapes.begin(), kShapes.end(),
                            [&](const LoadShape &shape) { return shape.name == name; });
  return found == kShapes.end() ? nullptr : &*found;
}

void sortByRelease(Load &load) {
  std::sort(load.jobs.begin(), load.jobs.end(), [](const LoadJob &a, const LoadJob &b) {
    return std::pair(a.releaseSeconds, a.seed) < std::pair(b.releaseSeconds, b.seed);
  });
}

Load makeLoad(const LoadShape &shape, uint64_t seed, const StageSamples &samples) {
  Load load{std::string(shape.name), shape.searchSlots, shape.buildSlots, {}, {}};
  for (int i = 0; i < shape.classes; ++i) {
    load.devices["class-" + std::to_string(i)] = shape.devicesPerClass;
  }
  Random random(seed);
  for (int i = 0; i < shape.jobs; ++i) {
    LoadJob job;
    // Each project has the same number of jobs of each class.
    job.deviceClass = "class-" + std::to_string(i % shape.classes);
    job.project = "project-" + std::to_string(i / shape.classes % shape.projects);
    double ratio = static_cast<double>(shape.mostRounds) / shape.fewestRounds;
    job.rounds = std::llround(shape.fewestRounds * std::pow(ratio, random.between(0, 1)));
    for (size_t stage = 0; stage < kStages; ++stage) {
      job.meanSeconds[stage] = meanSeconds(stage, random, samples);
    }
    bool isRecorded = !samples.seconds[0].empty();
    job.proposeGrowthSeconds = isRecorded ? 0 : kProposeGrowth;
    job.seed = random.next();
    load.jobs.push_back(job);
  }
  double span = shape.releaseSpan * lowerBoundSeconds(load);
  for (LoadJob &job : load.jobs) {
    job.releaseSeconds = random.between(0, span);
  }
  sortByRelease(load);
  return load;
}

double lowerBoundSeconds(const Load &load) {
  std::vector<PerStage> work;
  double bound = 0;
  for (const LoadJob &job : load.jobs) {
    work.push_back(workOf(job));
    bound = std::max(bound, job.releaseSeconds + work.back()[0]);
  }
  bound = std::max(bound, resourceBound(load, work, 0, nullptr, load.searchSlots));
  bound = std::max(bound, resourceBound(load, work, 1, nullptr, load.buildSlots));
  for (const auto &[name, count] : load.devices) {
    bound = std::max(bound, resourceBound(load, work, 2, &name, count));
  }
  return bound;
}

double aloneSeconds(const Load &load, const LoadJob &job) {
  auto devices = load.devices.find(job.deviceClass);
  double seconds = 0;
  for (int64_t round = 0; round < job.rounds; ++round) {
    int64_t first = round * job.batch;
    seconds += job.itemSeconds(Stage::Propose, round) +
               listSchedule(job, Stage::Build, first, job.batch, load.buildSlots) +
               listSchedule(job, Stage::Measure, first, job.batch,
                            devices == load.devices.end() ? 1 : devices->second);
  }
  return seconds;
}

} // namespace convoy::service
