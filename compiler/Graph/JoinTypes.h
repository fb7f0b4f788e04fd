// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the common type of values from several sources: the branches of an
// if, the iterations of a loop, the elements of a sequence.

#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace convoy::graph {

/// Returns the narrowest type that covers both types, or null if there is none.
/// Different sizes become a dynamic dimension, different ranks become an
/// unranked tensor, and a type joined with an optional of that type becomes the
/// optional.
mlir::Type joinTypes(mlir::Type a, mlir::Type b);

/// Returns the type with every dimension dynamic and the rank unchanged.
mlir::Type withoutDims(mlir::Type type);

} // namespace convoy::graph
