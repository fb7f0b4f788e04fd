// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns for f16. One set computes minimum and maximum in f32. The other set expands conversions
// between f16 and f32 to integer and f32 arithmetic, for CPUs without instructions for them: LLVM
// would call functions of its runtime library for each element.

#pragma once

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace convoy::targets {
struct Target;
} // namespace convoy::targets

namespace convoy::codegen {

/// Returns whether the CPU has instructions that convert vectors of f16 to f32 and back.
bool hasHalfConversions(const targets::Target &target);

/// Adds patterns for arith.maximumf and arith.minimumf of f16, scalars and vectors.
void populateHalfExtremumPatterns(mlir::RewritePatternSet &patterns);

/// Adds patterns for arith.extf and arith.truncf between f16 and f32, scalars and vectors.
void populateHalfPatterns(mlir::RewritePatternSet &patterns);

} // namespace convoy::codegen
