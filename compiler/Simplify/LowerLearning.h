// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers tree ensembles, tables of labels and n-gram counts to graph ops for
// convoy-graph-lower-composites.

#pragma once

#include "Graph/Forest.h"
#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

/// Lowers all trees to one walk in lockstep. Returns nullopt if the shape is
/// dynamic, a walk may leave the tables or exceed the depth limit, or the scores
/// pass through the probit function.
std::optional<llvm::SmallVector<mlir::Value>> lowerTreeEnsemble(graph::TypedBuilder &b,
                                                                graph::TreeEnsembleOp op);

/// Lowers a forest whose nodes all compare with `<`, `<=`, `>` or `>=` to a walk over
/// tables of integers. Returns the aggregated weights before the post transform, or
/// null if the forest has other nodes. No walk has more than `depth` steps.
mlir::Value lowerForest(graph::TypedBuilder &b, const graph::Forest &forest, int64_t depth,
                        mlir::Value features, int64_t rows);

/// Lowers a table from numbers to numbers to comparisons, or to a binary search in the
/// sorted keys. Returns nullopt if keys or values are strings or not constant.
std::optional<llvm::SmallVector<mlir::Value>> lowerLabelEncode(graph::TypedBuilder &b,
                                                               graph::LabelEncodeOp op);

/// Lowers n-gram counts to comparisons of shifted rows with the n-grams. Returns
/// nullopt if the shape is dynamic or the items are strings.
std::optional<llvm::SmallVector<mlir::Value>> lowerTfIdf(graph::TypedBuilder &b, graph::TfIdfOp op);

} // namespace convoy::simplify
