// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tree ensembles and n-gram counts as graph ops, for
// convoy-graph-lower-composites.

#pragma once

#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

/// All trees walked in step; or nothing when the shape is open, a walk may leave
/// the tables or take very long, or scores go through the probit function.
std::optional<llvm::SmallVector<mlir::Value>> lowerTreeEnsemble(graph::TypedBuilder &b,
                                                                graph::TreeEnsembleOp op);

/// Comparisons of shifted rows with the n-grams; or nothing when the shape is
/// open or the items are strings.
std::optional<llvm::SmallVector<mlir::Value>> lowerTfIdf(graph::TypedBuilder &b, graph::TfIdfOp op);

} // namespace convoy::simplify
