// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints one operation on scalars, or on whole vectors, as a C expression. Operands are text:
// a name, a constant, or an expression in parentheses.

#pragma once

#include "Codegen/C/Helpers.h"
#include "Kernels/Kernel.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace convoy::codegen {

/// Returns the operation on one element of each operand. For vectors, this is the operation in
/// each lane. Empty if the op does not work lane by lane.
std::string scalarExpression(mlir::Operation *op, llvm::ArrayRef<std::string> operands,
                             Helpers &helpers);

/// Returns the lanes, in the concatenation of both operands, that a vector.shuffle or a
/// vector.interleave takes.
llvm::SmallVector<int64_t> shuffledLanes(mlir::Operation *op);

/// Returns the operation on vectors with operators of the vector extension. Empty if the
/// extension has no such operator; the printer then uses a loop over lanes.
std::string vectorExpression(mlir::Operation *op, llvm::ArrayRef<std::string> operands,
                             Helpers &helpers);

/// Returns the name of the function or the macro of a dot product, for its signs.
llvm::StringRef dotName(kernels::DotBytesOp op);

/// Returns whether scalarExpression() supports the op.
bool isLanewise(mlir::Operation *op);

/// Returns the variable operand of maximumf or minimumf with a constant, if a single
/// comparison is sufficient, else nothing.
std::optional<unsigned> variableOfClamp(mlir::Operation *op);

/// Returns the macro of an intrinsic on tile registers, or nothing for other intrinsics.
llvm::StringRef tileMacro(llvm::StringRef intrinsic);

} // namespace convoy::codegen
