// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views: values that share the bytes of another tensor under a different type.

#pragma once

#include "mlir/IR/Value.h"

namespace convoy::graph {

/// Returns the tensor whose bytes a value shares. A reshape is a view of its
/// operand, and so is a reorder outside a kernel.
mlir::Value viewedTensor(mlir::Value value);

} // namespace convoy::graph
