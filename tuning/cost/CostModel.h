// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What measurements say about configurations that were not measured. The model learns
// by how much the analytical estimate is wrong, from the numbers of a configuration, so
// what it learned from one task helps with the next.

#pragma once

#include "tuning/space/TaskSpace.h"
#include <memory>

namespace convoy::tuning {

/// The numbers that describe a configuration: always as many, whatever the template.
using Features = std::vector<float>;
Features featuresOf(const SpaceEntry &entry);

/// One measurement: what was measured against what was estimated.
struct Example {
  Features features;
  /// Logarithm of seconds per estimated cycle; larger is slower than thought.
  float slowness = 0;
};

Example exampleOf(const SpaceEntry &entry, double seconds);

/// Makes the mean slowness of one task's examples 0: a model of several tasks has to know
/// which configuration is faster than another of its task, not which task is larger.
void centre(std::vector<Example> &examples);

class CostModel {
public:
  virtual ~CostModel() = default;
  /// Learns from all examples anew. Equal examples give an equal model.
  virtual void train(llvm::ArrayRef<Example> examples) = 0;
  /// The slowness of each, in order; 0 before the first training.
  virtual std::vector<float> predict(llvm::ArrayRef<Features> features) const = 0;
};

/// Gradient-boosted trees by XGBoost, in this thread.
std::unique_ptr<CostModel> createTreeModel();

} // namespace convoy::tuning
