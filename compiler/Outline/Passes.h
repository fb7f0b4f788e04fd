// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the tasks stage, which Passes.td describes.

#pragma once

#include "Task/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::outline {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Outline/Passes.h.inc"

struct OutlineOptions {
  /// Places the inputs and outputs of the model in the arena.
  bool isIoInArena = false;
  /// Fetches the inputs row by row from functions of the caller; requires `isIoInArena`.
  bool areInputsByRows = false;
  /// Numbers the runs, so that probes can time them.
  bool hasProbes = false;
};

/// Adds the stage's passes in order.
void addOutlinePasses(mlir::OpPassManager &passes, const OutlineOptions &options);

/// Adds the check of the tasks contract, on which Kernels and Memory rely.
void addOutlineContract(mlir::OpPassManager &passes);

} // namespace convoy::outline
