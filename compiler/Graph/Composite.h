// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that together are one op of the model. Their location says so, which every rewrite
// keeps: placement does not tear them apart, and reports name the whole.

#pragma once

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace convoy::graph {

/// The location of the steps of one `whole`, "softmax", that comes from `locs`.
mlir::Location stepOf(llvm::ArrayRef<mlir::Location> locs, llvm::StringRef whole);

/// What an op at this location is a step of, or empty.
llvm::StringRef wholeOf(mlir::Location loc);

} // namespace convoy::graph
