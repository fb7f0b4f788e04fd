// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much there is to do in a graph, whoever does it and however.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace convoy::driver {

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

/// The ONNX nodes of each kernel of a module, in order: "'conv1' (Conv) + 'relu1'
/// (Relu)". Empty when there are no kernels, or no longer.
std::vector<std::string> kernelNodes(mlir::ModuleOp module);

/// The tasks of a module after the stage `tasks`, in order. Marks them to be timed:
/// the number of a probe is the index in the list. `nodes` are those of the kernels
/// that the tasks were made from.
std::vector<Layer> markLayers(mlir::ModuleOp module, llvm::ArrayRef<std::string> nodes);

} // namespace convoy::driver
