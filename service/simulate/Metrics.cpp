// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of simulations.

#include "service/simulate/Metrics.h"
#include <algorithm>
#include <cmath>

namespace convoy::service {

double quantile(std::vector<double> values, double share) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  double at = share * static_cast<double>(values.size() - 1);
  auto low = static_cast<size_t>(at);
  size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - std::floor(at)) * (values[high] - values[low]);
}

Metrics metricsOf(const SimulationResult &result) {
  Metrics metrics;
  std::vector<double> slowdowns;
  for (const JobOutcome &job : result.jobs) {
    slowdowns.push_back(job.slowdown);
    metrics.meanSlowdown += job.slowdown / static_cast<double>(result.jobs.size());
    metrics.longestWaitOfBound = std::max(metrics.longestWaitOfBound, job.longestWaitOfBound);
  }
  metrics.p95Slowdown = quantile(slowdowns, 0.95);
  metrics.makespanSeconds = result.makespanSeconds;
  metrics.makespanOfBound = result.makespanSeconds / result.lowerBoundSeconds;
  metrics.jainIndex = result.jainIndex;
  metrics.deviceUse = result.deviceUse;
  metrics.buildUse = result.buildUse;
  auto trials = static_cast<double>(result.trials);
  metrics.trialsPerSecond = trials / result.makespanSeconds;
  metrics.schedulerShare = result.schedulerSeconds / result.makespanSeconds;
  metrics.schedulerSecondsPerTrial = result.schedulerSeconds / trials;
  metrics.abandoned = static_cast<double>(result.abandoned);
  return metrics;
}

Metrics summarize(const std::vector<Metrics> &seeds) {
  auto median = [&](double Metrics::*field) {
    std::vector<double> values;
    for (const Metrics &metrics : seeds) {
      values.push_back(metrics.*field);
    }
    return quantile(values, 0.5);
  };
  Metrics summary;
  for (double Metrics::*field :
       {&Metrics::makespanOfBound, &Metrics::makespanSeconds, &Metrics::meanSlowdown,
        &Metrics::p95Slowdown, &Metrics::deviceUse, &Metrics::buildUse, &Metrics::trialsPerSecond,
        &Metrics::schedulerShare, &Metrics::schedulerSecondsPerTrial, &Metrics::abandoned}) {
    summary.*field = median(field);
  }
  for (const Metrics &metrics : seeds) {
    summary.jainIndex = std::min(summary.jainIndex, metrics.jainIndex);
    summary.longestWaitOfBound = std::max(summary.longestWaitOfBound, metrics.longestWaitOfBound);
  }
  return summary;
}

} // namespace convoy::service
