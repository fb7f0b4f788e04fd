// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation on scalars, or on whole vectors, as a C expression. Neither knows
// where operands come from: they are text, a name or a constant or in parentheses.

#pragma once

#include "Codegen/C/Helpers.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace convoy::codegen {

/// The operation on one element of each operand; for vectors, what happens in each
/// lane. Empty when it is not one of those that work lane by lane.
std::string scalarExpression(mlir::Operation *op, llvm::ArrayRef<std::string> operands,
                             Helpers &helpers);

/// The operation on vectors, with operators of the vector extension. Empty when it
/// has none; lane by lane then.
/// The lanes of both operands, one after the other, that a vector.shuffle or a
/// vector.interleave takes.
llvm::SmallVector<int64_t> shuffledLanes(mlir::Operation *op);

std::string vectorExpression(mlir::Operation *op, llvm::ArrayRef<std::string> operands,
                             Helpers &helpers);

/// Whether scalarExpression has a text for it.
bool isLanewise(mlir::Operation *op);

/// For maximumf and minimumf with a constant: the operand that is not constant, if a
/// single comparison does, else nothing.
std::optional<unsigned> variableOfClamp(mlir::Operation *op);

} // namespace convoy::codegen
