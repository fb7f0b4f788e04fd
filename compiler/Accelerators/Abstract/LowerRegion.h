// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a region to a program whose commands are a portable layer list.

#pragma once

#include "Accelerators/Abstract/Parameters.h"
#include "Accelerators/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::abstract {

/// Emits an error if the device does not support an op.
mlir::FailureOr<accelerators::Program> lowerRegion(mlir::func::FuncOp region,
                                                   const Parameters &parameters);

} // namespace convoy::abstract
