// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the arithmetic operations and the bytes of a model, independent of kernels and target.
// `convoy bench` divides them by the measured times.

#pragma once

#include "Pipeline/RunStages.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace convoy::timing {

/// Returns the floating-point operations of the convolutions and matrix products below an op: two
/// per multiply-add of the direct algorithm, even if the kernel uses an algorithm with fewer.
/// Other ops count as 0. The body of a scan counts once per step, the body of a loop once.
double flopsIn(mlir::Operation *root);

/// A task of the model.
struct Layer {
  std::string kernel;          // the function that runs
  std::string nodes;           // "'conv1' (Conv) + 'relu1' (Relu)"
  std::string templateId = ""; // "conv_direct" or another; "loops": generic loops
  double flops = 0;
  double bytes = 0; // read and written, each tensor once per run
  double runs = 1;  // per inference; more than one in the body of a scan
};

/// Lists the tasks of a module after the stage `tasks`, in order.
std::vector<Layer> layersOf(mlir::ModuleOp module);

/// Which parts of a model are timed; Codegen/LLVM/Probe.h.
enum class Probes {
  None,
  Kernels,
  KernelsAndWaits, ///< Also the waits of threads for each other.
};

/// Counts work while a model is compiled and marks the tasks to be timed. The number of a probe is
/// the index in `layers`; -1 - N is a wait for worker N.
class WorkObserver : public StageObserver {
public:
  explicit WorkObserver(Probes probes) : probes(probes) {}

  bool endStage(mlir::ModuleOp module, const Stage &stage) override;

  double flops = 0;
  /// Whether the model has integer layers.
  bool isQuantized = false;
  std::vector<Layer> layers;

private:
  Probes probes;
};

} // namespace convoy::timing
