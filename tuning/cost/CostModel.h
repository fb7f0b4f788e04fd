// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts the time of configurations that were not measured. The model learns the ratio of
// the measured time to the analytical estimate, so measurements of one task improve the
// predictions for other tasks.

#pragma once

#include "tuning/space/TaskSpace.h"
#include <memory>

namespace convoy::tuning {

/// The numeric features of a configuration. Their number is the same for all templates.
using Features = std::vector<float>;
Features featuresOf(const SpaceEntry &entry);

/// A training example: one measurement, relative to its estimate.
struct Example {
  Features features;
  /// The logarithm of seconds per estimated cycle. A larger value means that the estimate was
  /// too low.
  float slowness = 0;
};

Example exampleOf(const SpaceEntry &entry, double seconds);

/// Shifts the slowness of one task's examples so that the mean is 0. A model of several tasks
/// must order the configurations of each task; it need not predict which task takes longer.
void center(std::vector<Example> &examples);

class CostModel {
public:
  virtual ~CostModel() = default;
  /// Trains a new model on all examples. Equal examples give an equal model.
  virtual void train(llvm::ArrayRef<Example> examples) = 0;
  /// Returns the slowness of each configuration, in order. Returns 0 before the first
  /// training.
  virtual std::vector<float> predict(llvm::ArrayRef<Features> features) const = 0;
};

/// Returns a model of gradient-boosted trees by XGBoost, which runs on the calling thread.
std::unique_ptr<CostModel> createTreeModel();

} // namespace convoy::tuning
