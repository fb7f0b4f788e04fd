// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of a value from one layout to another. The layout pass uses it where producer and
// consumer have different layouts.

#pragma once

#include "Graph/Graph.h"

namespace convoy::layout {

/// Returns `value` in another layout. Builds a kernel that moves the elements, or a view if both
/// layouts have the same bytes.
mlir::Value reorder(mlir::OpBuilder &builder, mlir::Value value, mlir::Attribute layout);

} // namespace convoy::layout
