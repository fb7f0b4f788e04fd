// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bringing a value from one layout to another.

#pragma once

#include "Graph/Graph.h"

namespace convoy::layout {

/// Builds the value in another layout: behind a kernel that moves its elements,
/// or behind a view when the bytes are the same.
mlir::Value reorder(mlir::OpBuilder &builder, mlir::Value value, mlir::Attribute layout);

} // namespace convoy::layout
