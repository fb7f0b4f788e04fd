// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces an op on constants by its results.

#pragma once

#include "mlir/IR/Operation.h"
#include "reference/Reference.h"

namespace convoy::reference {

/// Replaces an op by constants and returns true if its operands are constants and the reference
/// interpreter can evaluate it within the limits. The operand of graph.shape needs a static type
/// only.
bool foldOp(mlir::Operation *op, const RunOptions &limits = {});

} // namespace convoy::reference
