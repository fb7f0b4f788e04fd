// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of simulations: one row per policy, medians over seeds.

#pragma once

#include "service/simulate/Simulation.h"

namespace convoy::service {

/// The figures of one simulation, or their medians over seeds.
struct Metrics {
  double makespanOfBound = 0; // makespan / lower bound
  double makespanSeconds = 0;
  double meanSlowdown = 0, p95Slowdown = 0; // time / time alone without overlap
  double jainIndex = 1;
  double longestWaitOfBound = 0; // longest wait of any job / its aging bound
  double deviceUse = 0, buildUse = 0;
  double trialsPerSecond = 0;
  double schedulerShare = 0;           // of one core, per virtual second
  double schedulerSecondsPerTrial = 0; // CPU time
  double abandoned = 0;
};

Metrics metricsOf(const SimulationResult &result);

/// Returns the medians over seeds; of the Jain index the smallest and of waits the largest.
Metrics summarize(const std::vector<Metrics> &seeds);

/// Returns the value below which a share of the values lies, with interpolation.
double quantile(std::vector<double> values, double share);

} // namespace convoy::service
