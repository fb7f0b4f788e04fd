// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a load under several policies and seeds, and checks the figures against the targets of the
// scheduler. `convoy-tuningd simulate` and the tests use it.

#pragma once

#include "service/simulate/Metrics.h"
#include <functional>

namespace convoy::service {

struct PolicyFigures {
  std::string policy;
  Metrics metrics;
  /// Medians of the ratios to FIFO with the same seed; 0 without FIFO.
  double p95OfFifo = 0, makespanOfFifo = 0;
};

struct Experiment {
  std::function<Load(uint64_t seed)> makeLoad;
  std::vector<std::string> policies;
  int seeds = 10;
  SimulationOptions options;
};

/// Returns the options of one policy: the serial policy has no look-ahead, because it is the
/// reference without any overlap.
SimulationOptions optionsFor(const std::string &policy, SimulationOptions options);

/// Runs all policies on the same loads. The policies exist.
std::vector<PolicyFigures> runExperiment(const Experiment &experiment);

/// The targets of the policy "balanced". Relative figures compare it with "fifo".
constexpr double kMostP95OfFifo = 0.5, kMostMakespanOfFifo = 1.05, kLeastJainIndex = 0.95,
                 kMostWaitOfBound = 1, kMostSchedulerShare = 0.02;
/// The rate of trials at which kMostSchedulerShare applies: 1,000 devices, 0.6 s a trial.
constexpr double kTargetTrialsPerSecond = 1000 / 0.6;

/// Returns one sentence per target that the figures miss.
std::vector<std::string> missedTargets(const std::vector<PolicyFigures> &figures);

} // namespace convoy::service
