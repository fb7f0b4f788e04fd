// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tree ensembles and n-gram counts as graph ops, for
// convoy-graph-lower-composites.

#pragma once

#include "Graph/TypedBuilder.h"

namespace convoy::graph {

/// All trees walked in step; or nothing when the shape is open, a walk may leave
/// the tables or take very long, or scores go through the probit function.
std::optional<llvm::SmallVector<mlir::Value>> lowerTreeEnsemble(TypedBuilder &b, TreeEnsembleOp op);

/// Comparisons of shifted rows with the n-grams; or nothing when the shape is
/// open or the items are strings.
std::optional<llvm::SmallVector<mlir::Value>> lowerTfIdf(TypedBuilder &b, TfIdfOp op);

} // namespace convoy::graph
