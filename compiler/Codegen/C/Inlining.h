// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the values that have no variable in C: constants, scalars that are broadcast to
// lanes, and integer arithmetic with a single use. Index expressions then look like
// handwritten code.

#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace convoy::codegen {

class Inlining {
public:
  explicit Inlining(mlir::FunctionOpInterface function);

  /// Returns whether the op is printed at the use of its result.
  bool isInlined(mlir::Operation *op) const { return weights.contains(op); }

  /// Returns the last op of `block` that needs the value, directly or through inlined ops, or
  /// null.
  mlir::Operation *lastUse(mlir::Value value, mlir::Block *block) const;

  /// Returns the argument of the enclosing loop whose variable the result may take, because
  /// the result is the argument's next value and the argument is no longer needed. Returns
  /// null if there is none.
  mlir::BlockArgument replaced(mlir::OpResult result) const;

private:
  /// The number of operations in the text of each inlined op.
  llvm::DenseMap<mlir::Operation *, int> weights;
};

} // namespace convoy::codegen
