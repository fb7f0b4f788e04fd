// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From one op of MLIR's math dialect to the arith ops that compute it. The pass
// convoy-kernels-lower-math walks a function with it.

#ifndef CONVOY_KERNELS_MATH_EXPAND_H
#define CONVOY_KERNELS_MATH_EXPAND_H

#include "mlir/IR/PatternMatch.h"

namespace convoy::kernels {

struct MathOptions {
  /// Emit math.fma. A target without the instruction wants false: there llvm.fma
  /// is a call into libm.
  bool fuseMultiplyAdd = true;
};

/// True for the math ops that are one exact operation of IEEE 754 and stay:
/// absf, ceil, copysign, floor, fma, roundeven, sqrt, trunc and the integer ops.
/// A target without the instruction (x86-64 before SSE4.1 for the roundings) still
/// calls libm for it; expansions themselves use only absf, copysign, fma and sqrt.
bool isExactMathOp(mlir::Operation *op);

/// The ops expandMathOp knows, by name, in table order.
llvm::SmallVector<llvm::StringRef> expandableMathOps();

/// Replaces `op`, of the math dialect and not exact, by its expansion. Fails with
/// a diagnostic if the op or its element type is not supported.
mlir::LogicalResult expandMathOp(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                 const MathOptions &options);

} // namespace convoy::kernels

#endif // CONVOY_KERNELS_MATH_EXPAND_H
