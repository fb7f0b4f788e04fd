// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a function have no variable of their own in C: constants, scalars
// that are spread over lanes, and integer arithmetic that one place uses. Index
// expressions then read as they would have been written.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace convoy::codegen {

class Inlining {
public:
  explicit Inlining(mlir::func::FuncOp function);

  /// Whether the op is written where its result is used.
  bool isInlined(mlir::Operation *op) const { return weights.contains(op); }

  /// The last op of `block` that needs the value, be it through inlined ops; null
  /// when none does.
  mlir::Operation *lastUse(mlir::Value value, mlir::Block *block) const;

  /// If the result may take the variable of an argument of the loop around it, to
  /// which it is handed on: that argument; else null. The argument is then no
  /// longer needed.
  mlir::BlockArgument replaced(mlir::OpResult result) const;

private:
  /// Operations in the text of each inlined op.
  llvm::DenseMap<mlir::Operation *, int> weights;
};

} // namespace convoy::codegen
