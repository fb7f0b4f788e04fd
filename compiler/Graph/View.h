// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views: values that are another tensor's bytes under another type.

#pragma once

#include "mlir/IR/Value.h"

namespace convoy::graph {

/// The tensor whose bytes a value is. A reshape is a view of its operand, and so is a
/// reorder that stands outside a kernel.
mlir::Value viewedTensor(mlir::Value value);

} // namespace convoy::graph
