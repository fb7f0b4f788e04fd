// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of a step with one panel of a packed matrix.

#pragma once

#include "Kernels/Kernel.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace convoy::kernels {

/// The memory and the sizes of a product of a step.
struct PanelProduct {
  mlir::Value weights, input, result;
  int64_t depth;
  int64_t columns;
};

/// Computes `vectors` vectors of `lanes` columns of a panel, for the rows of a task from `firstRow`
/// on. The last vector of a row may extend beyond the row.
void emitPanel(mlir::ImplicitLocOpBuilder &b, const PanelProduct &product, RecurrentAttr config,
               int64_t lanes, mlir::Value firstRow, mlir::Value panel, int64_t vectors);

} // namespace convoy::kernels
