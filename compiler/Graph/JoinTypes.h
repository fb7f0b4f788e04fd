// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common type of values that meet: the branches of an if, the iterations of
// a loop, the elements of a sequence.

#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace convoy::graph {

/// The narrowest type that holds values of both types, or null when there is
/// none. Dimensions that differ become unknown, ranks that differ give an
/// unranked tensor, and a value meets an optional of its type as that optional.
mlir::Type joinTypes(mlir::Type a, mlir::Type b);

/// The type with every dimension unknown, as far as ranks allow it.
mlir::Type withoutDims(mlir::Type type);

} // namespace convoy::graph
