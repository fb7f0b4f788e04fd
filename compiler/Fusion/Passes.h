// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the fusion stage, which Passes.td describes.

#pragma once

#include "Kernels/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::fusion {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Fusion/Passes.h.inc"

struct FusionOptions {
  /// Target properties. A kernel with several loops is formed only if a template supports it.
  kernels::Machine machine;
  /// Use only algorithms that round like a plain sum.
  bool isStrictMath = false;
  /// The target converts vectors of f16 to f32 with few instructions.
  bool convertsHalves = false;
};

/// Adds the stage's passes in order.
void addFusionPasses(mlir::OpPassManager &passes, const FusionOptions &options);

/// Adds the check of the properties that Layout and Tasks may assume.
void addFusionContract(mlir::OpPassManager &passes);

} // namespace convoy::fusion
