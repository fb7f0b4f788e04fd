// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the quantize stage; Passes.td says what each takes and gives.

#pragma once

#include "Quantize/Arithmetic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::quantize {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Quantize/Passes.h.inc"

struct QuantizeOptions {
  /// Whether layers between dequantize and quantize become integer ops. Off, they
  /// run in float as ONNX writes them.
  bool isInteger = false;
  /// What the target's rescaling can do.
  Arithmetic arithmetic;
};

/// Adds the stage's passes in order; none when layers stay in float.
void addQuantizePasses(mlir::OpPassManager &passes, const QuantizeOptions &options);

/// Adds the check of what Place and Fusion may assume.
void addQuantizeContract(mlir::OpPassManager &passes);

} // namespace convoy::quantize
