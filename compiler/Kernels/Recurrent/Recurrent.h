// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering of kernels with the configuration `#kernel.recurrent`.

#pragma once

#include "Kernels/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

mlir::LogicalResult lowerRecurrent(mlir::func::FuncOp kernel, RecurrentAttr config,
                                   const Machine &machine);

} // namespace convoy::kernels
