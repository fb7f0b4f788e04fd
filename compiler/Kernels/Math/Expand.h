// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expansion of one op of MLIR's math dialect into arith ops. convoy-kernels-lower-math applies it
// to a function.

#ifndef CONVOY_KERNELS_MATH_EXPAND_H
#define CONVOY_KERNELS_MATH_EXPAND_H

#include "mlir/IR/PatternMatch.h"

namespace convoy::kernels {

struct MathOptions {
  /// Emit math.fma. Set it to false for a target without the instruction, because llvm.fma would
  /// become a call into libm.
  bool fuseMultiplyAdd = true;
};

/// Returns whether a math op is a single exact IEEE 754 operation, which the pass keeps: absf,
/// ceil, copysign, floor, fma, roundeven, sqrt, trunc and the integer ops. A target without the
/// instruction (x86-64 before SSE4.1 for rounding ops) still calls libm for it. Expansions use only
/// absf, copysign, fma and sqrt.
bool isExactMathOp(mlir::Operation *op);

/// Returns the names of the ops that expandMathOp supports, in table order.
llvm::SmallVector<llvm::StringRef> expandableMathOps();

/// Replaces `op`, an inexact op of the math dialect, with its expansion. Fails with a diagnostic if
/// the op or its element type is not supported.
mlir::LogicalResult expandMathOp(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                 const MathOptions &options);

/// Emits 1 / (1 + exp(-x)) of an f32 scalar or vector, which the math dialect has no op for. The
/// code contains math.fma, which convoy-kernels-lower-math splits for targets without it.
mlir::Value emitSigmoid(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

} // namespace convoy::kernels

#endif // CONVOY_KERNELS_MATH_EXPAND_H
