// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers tree ensembles and n-gram counts to graph ops for
// convoy-graph-lower-composites.

#pragma once

#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

/// Lowers all trees to one walk in lockstep. Returns nullopt if the shape is
/// dynamic, a walk may leave the tables or exceed the depth limit, or the scores
/// pass through the probit function.
std::optional<llvm::SmallVector<mlir::Value>> lowerTreeEnsemble(graph::TypedBuilder &b,
                                                                graph::TreeEnsembleOp op);

/// Lowers n-gram counts to comparisons of shifted rows with the n-grams. Returns
/// nullopt if the shape is dynamic or the items are strings.
std::optional<llvm::SmallVector<mlir::Value>> lowerTfIdf(graph::TypedBuilder &b, graph::TfIdfOp op);

} // namespace convoy::simplify
