// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type of a value whose sizes are all known. Rewrites that compute shapes require it.

#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace convoy::simplify {

/// Returns the type of a value if its shape is static, or null.
inline mlir::RankedTensorType staticType(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : mlir::RankedTensorType();
}

} // namespace convoy::simplify
