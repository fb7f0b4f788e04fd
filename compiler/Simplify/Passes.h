// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the graph stage. Passes.td documents each pass.

#pragma once

#include "Graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace convoy::simplify {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Simplify/Passes.h.inc"

/// Updates the type of a function after passes have refined the types of its
/// arguments and results.
void updateFunctionType(mlir::func::FuncOp function);

struct SimplifyOptions {
  /// Keep dequantize_linear of constants, because the quantize stage requires
  /// weights as integers.
  bool keepsQuantized = false;
  /// Keep matrices of products that are packed with a scale per block, because templates read them.
  bool keepsPacked = false;
  /// Lower transposed convolutions and convolutions over three dimensions to the convolutions that
  /// templates support and data movement, which needs more memory and code than the generic loops.
  bool lowersConvs = true;
  /// Lower transposed convolutions even if `lowersConvs` is not set.
  bool lowersTransposedConvs = false;
};

/// Adds the passes of the stage in order.
void addSimplifyPasses(mlir::OpPassManager &passes, const SimplifyOptions &options = {});

/// Adds the pass that checks the contract of the stage for Place and Fusion.
void addSimplifyContract(mlir::OpPassManager &passes);

} // namespace convoy::simplify
