// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Policies and seeds of one load.

#include "service/simulate/Experiment.h"
#include <algorithm>
#include <cstdio>

namespace convoy::service {
namespace {

const PolicyFigures *find(const std::vector<PolicyFigures> &figures, const std::string &policy) {
  auto found = std::find_if(figures.begin(), figures.end(),
                            [&](const PolicyFigures &row) { return row.policy == policy; });
  return found == figures.end() ? nullptr : &*found;
}

double medianRatio(const std::vector<Metrics> &values, const std::vector<Metrics> &references,
                   double Metrics::*field) {
  std::vector<double> ratios;
  for (size_t i = 0; i < values.size(); ++i) {
    ratios.push_back(values[i].*field / references[i].*field);
  }
  return quantile(ratios, 0.5);
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
          metricsOf(simulate(load, service::scheduler::makePolicy(policy), options)));
    }
  }
  auto fifo = static_cast<size_t>(
      std::find(experiment.policies.begin(), experiment.policies.end(), "fifo") -
      experiment.policies.begin());
  std::vector<PolicyFigures> figures;
  for (size_t i = 0; i < experiment.policies.size(); ++i) {
    figures.push_back({experiment.policies[i], summarize(metrics[i])});
    if (fifo < metrics.size()) {
      figures[i].p95OfFifo = medianRatio(metrics[i], metrics[fifo], &Metrics::p95Slowdown);
      figures[i].makespanOfFifo = medianRatio(metrics[i], metrics[fifo], &Metrics::makespanSeconds);
    }
  }
  return figures;
}

std::vector<std::string> missedTargets(const std::vector<PolicyFigures> &figures) {
  std::vector<std::string> missed;
  const PolicyFigures *balanced = find(figures, "balanced");
  if (!balanced || !find(figures, "fifo")) {
    return {"the targets compare the policies 'fifo' and 'balanced'; run both"};
  }
  require(missed, "p95 slowdown / FIFO", balanced->p95OfFifo, kMostP95OfFifo);
  require(missed, "makespan / FIFO", balanced->makespanOfFifo, kMostMakespanOfFifo);
  require(missed, "1 - Jain's index", 1 - balanced->metrics.jainIndex, 1 - kLeastJainIndex);
  require(missed, "longest wait / aging bound", balanced->metrics.longestWaitOfBound,
          kMostWaitOfBound);
  require(missed, "scheduler's share of one core at 1,667 trials/s",
          balanced->metrics.schedulerSecondsPerTrial * kTargetTrialsPerSecond, kMostSchedulerShare);
  return missed;
}

} // namespace convoy::service
