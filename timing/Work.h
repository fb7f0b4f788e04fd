// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much there is to do in a graph, whoever does it and however.

#pragma once

#include "Pipeline/RunStages.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace convoy::timing {

/// Floating-point operations of convolutions and matrix products below an op: two
/// per multiply-add of the plain algorithm, also where another needs fewer. All
/// else counts nothing; the body of a loop counts once.
double flopsIn(mlir::Operation *root);

/// A task of the model.
struct Layer {
  std::string kernel; // the function that runs
  std::string nodes;  // "'conv1' (Conv) + 'relu1' (Relu)"
  double flops = 0;
  double bytes = 0; // of what it reads and writes, each tensor once
};

/// Counts work while a model is compiled; with `hasLayers` it marks the tasks to be timed:
/// the number of a probe is the index in `layers`.
class WorkObserver : public StageObserver {
public:
  explicit WorkObserver(bool hasLayers) : hasLayers(hasLayers) {}

  bool endStage(mlir::ModuleOp module, const Stage &stage) override;

  double flops = 0;
  /// Layers are integers that are rescaled.
  bool isQuantized = false;
  std::vector<Layer> layers;

private:
  bool hasLayers;
};

} // namespace convoy::timing
