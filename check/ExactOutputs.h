// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a quantised model is exact: the integers. A softmax of floats behind them is
// another machine's to round.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::check {

/// Returns, instead of floats that follow from one quantised tensor without another layer,
/// that tensor's floats: equal integers are equal there.
void returnExactValues(mlir::func::FuncOp function);

} // namespace convoy::check
