// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the graph stage; Passes.td says what each takes and gives.

#pragma once

#include "Graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace convoy::simplify {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Simplify/Passes.h.inc"

/// Gives a function the type of what its body takes and returns, after passes
/// have refined result types.
void updateFunctionType(mlir::func::FuncOp function);

struct SimplifyOptions {
  /// Leave dequantize_linear of constants alone: the quantize stage wants weights
  /// as integers.
  bool keepsQuantized = false;
};

/// Adds the stage's passes in order.
void addSimplifyPasses(mlir::OpPassManager &passes, const SimplifyOptions &options = {});

/// Adds the check of what Place and Fusion may assume.
void addSimplifyContract(mlir::OpPassManager &passes);

} // namespace convoy::simplify
