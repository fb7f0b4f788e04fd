// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Policies and seeds of one load.

#include "service/simulate/Experiment.h"
#include <algorithm>
#include <cstdio>

namespace convoy::service {
namespace {

const Metrics *find(const std::vector<PolicyFigures> &figures, const std::string &policy) {
  auto found = std::find_if(figures.begin(), figures.end(),
                            [&](const PolicyFigures &row) { return row.policy == policy; });
  return found == figures.end() ? nullptr : &found->metrics;
}

/// Adds a sentence if a figure is larger than its limit.
void require(std::vector<std::string> &missed, const char *name, double value, double limit) {
  if (value > limit) {
    char text[160];
    std::snprintf(text, sizeof text, "%s is %.4g, expected at most %.4g", name, value, limit);
    missed.emplace_back(text);
  }
}

} // namespace

SimulationOptions optionsFor(const std::string &policy, SimulationOptions options) {
  if (policy == "serial") {
    options.lookAhead = 0;
  }
  return options;
}

std::vector<PolicyFigures> runExperiment(const Experiment &experiment) {
  std::vector<std::vector<Metrics>> metrics(experiment.policies.size());
  for (int seed = 1; seed <= experiment.seeds; ++seed) {
    Load load = experiment.makeLoad(static_cast<uint64_t>(seed));
    for (size_t i = 0; i < experiment.policies.size(); ++i) {
      const std::string &policy = experiment.policies[i];
      SimulationOptions options = optionsFor(policy, experiment.options);
      options.seed = static_cast<uint64_t>(seed);
      metrics[i].push_back(
          metricsOf(simulate(load, tuning::scheduler::makePolicy(policy), options)));
    }
  }
  std::vector<PolicyFigures> figures;
  for (size_t i = 0; i < experiment.policies.size(); ++i) {
    figures.push_back({experiment.policies[i], summarize(metrics[i])});
  }
  return figures;
}

std::vector<std::string> missedTargets(const std::vector<PolicyFigures> &figures) {
  std::vector<std::string> missed;
  const Metrics *fifo = find(figures, "fifo"), *balanced = find(figures, "balanced");
  if (!fifo || !balanced) {
    return {"the targets compare the policies 'fifo' and 'balanced'; run both"};
  }
  require(missed, "p95 slowdown / FIFO", balanced->p95Slowdown / fifo->p95Slowdown, kMostP95OfFifo);
  require(missed, "makespan / FIFO", balanced->makespanSeconds / fifo->makespanSeconds,
          kMostMakespanOfFifo);
  require(missed, "1 - Jain's index", 1 - balanced->jainIndex, 1 - kLeastJainIndex);
  require(missed, "longest wait / ageing bound", balanced->longestWaitOfBound, kMostWaitOfBound);
  require(missed, "scheduler's share of one core at 1,667 trials/s",
          balanced->schedulerSecondsPerTrial * kTargetTrialsPerSecond, kMostSchedulerShare);
  return missed;
}

} // namespace convoy::service
