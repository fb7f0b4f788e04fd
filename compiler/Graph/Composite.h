// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks graph ops that together implement one op of the model. The mark is in
// the location, which rewrites preserve. Placement keeps the marked ops on one
// device, and reports name the model's op.

#pragma once

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace convoy::graph {

/// Returns the location of a step of the op `whole` (for example "softmax")
/// that comes from `locs`.
mlir::Location stepOf(llvm::ArrayRef<mlir::Location> locs, llvm::StringRef whole);

/// Returns the op that an op at this location is a step of, or an empty string.
llvm::StringRef wholeOf(mlir::Location loc);

} // namespace convoy::graph
