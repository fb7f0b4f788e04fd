// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the cheapest plan whose drop on the select split leaves room for the accuracy bound. The
// search makes sensitive activations wide (int16, or float if the target has no int16) and
// insensitive weights narrow (int4). It never reads the proof split.

#pragma once

#include "quantizer/proof/Measurement.h"
#include "quantizer/search/TargetCost.h"

namespace convoy::quantizer {

/// A plan with its fitted weights.
struct FittedPlan {
  plan::Plan plan;
  plan::FittedWeights fitted;
};

/// A change that makes a candidate more accurate: activations of one tie become wide.
struct Widening {
  std::vector<plan::ActivationPlan> activations;
  double error = 0; // at the output, that the change removes
};

/// A change that makes a candidate smaller: the weights of one layer become int4.
struct Narrowing {
  plan::WeightPlan weights;
  std::vector<int8_t> integers; // empty: rounded to nearest
  std::string bias;             // empty: no corrected bias
  std::vector<float> biasValues;
  int64_t elements = 0;
  double error = 0; // at the output, that the change adds
};

struct SearchLimits {
  double maxDrop = 0.005;
  double alpha = 0.05;
  int64_t proveSamples = 0;
  int64_t maxWide = 8;        // activations
  double minNarrowShare = 0;  // of the bytes of the weights, in int4
  int64_t workspaceBytes = 0; // 0: no limit
  double nanoseconds = 0;     // 0: no limit
};

/// Measures candidates. Functions, so that a test can search without a model.
struct SearchFunctions {
  std::function<Result<Measurement>(const FittedPlan &)> measure; // on the select split
  std::function<Result<TargetCost>(const FittedPlan &)> cost;
};

/// One candidate that the search measured.
struct SearchStep {
  int64_t wide = 0, narrow = 0; // activations and layers
  Measurement measurement;
  double projectedBound = 0;
};

struct SearchOutcome {
  FittedPlan best;
  Measurement measurement;
  TargetCost cost;
  std::vector<SearchStep> steps;
  /// Whether the bound that the select split predicts for the proof is below the limit.
  bool isPromising = false;
};

/// Returns the best plan. `narrowings` is empty if weights stay in 8 bits. Fails if no plan is
/// within the limits on memory and time.
Result<SearchOutcome> searchPlan(const FittedPlan &start, std::vector<Widening> widenings,
                                 std::vector<Narrowing> narrowings, const SearchLimits &limits,
                                 const SearchFunctions &functions);

} // namespace convoy::quantizer
