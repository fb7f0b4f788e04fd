// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a function of convcore layers from graph ops, as a device receives them. It runs twice for
// each op that a device runs. Place/DevicePlan.cpp builds all candidate ops of a model as one
// function to ask the device about the fused layers. RegionLayers.cpp builds each region, after
// regions are known. The layers of both can differ: a value that crosses from one region to another
// is an edge inside of the first function and a result of the second, which ends a fusion there.

#pragma once

#include "Accelerators/Accelerator.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace convoy::accelerators {

class LayerFunction {
public:
  /// Creates an empty private function at the end of the module.
  LayerFunction(mlir::ModuleOp module, mlir::Location loc, llvm::StringRef name);

  /// Adds an argument for a value of the graph.
  void addArgument(mlir::Value value);

  /// Lowers an op with its number to convcore. Operands without a layer become arguments. Returns
  /// an empty string, or the reason why the op cannot be lowered.
  std::string add(mlir::Operation *op, int64_t number);

  /// Returns the function of these results after the rewrites that all devices share.
  mlir::func::FuncOp finish(mlir::ValueRange results, const Accelerator &device);

  /// Erases the function instead of finishing it.
  void erase() { function.erase(); }

private:
  mlir::OpBuilder builder;
  mlir::IRMapping mapping;
  mlir::func::FuncOp function;
};

} // namespace convoy::accelerators
