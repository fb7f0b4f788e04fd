// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the quantize stage. Passes.td documents each pass.

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
  /// Whether layers between dequantize_linear and quantize_linear become integer
  /// ops. If false, they run in floating point as ONNX defines them.
  bool isInteger = false;
  /// Whether activations become signed bytes, which the kernels of the target take.
  bool signsBytes = false;
  /// The rescaling arithmetic of the target.
  Arithmetic arithmetic;
};

/// Adds the passes of the stage in order. Adds no pass if layers stay in floating
/// point.
void addQuantizePasses(mlir::OpPassManager &passes, const QuantizeOptions &options);

/// Adds the pass that checks the contract of the stage for Place and Fusion.
void addQuantizeContract(mlir::OpPassManager &passes);

} // namespace convoy::quantize
