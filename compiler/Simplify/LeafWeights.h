// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aggregates the weights of the leaves that the walks of a forest reach, for the
// lowerings of graph.tree_ensemble.

#pragma once

#include "Graph/Forest.h"
#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

class LeafWeights {
public:
  LeafWeights(graph::TypedBuilder &b, const graph::Forest &forest) : b(b), forest(forest) {}

  /// Returns the weight of a leaf for a target, or the weight that does not change the
  /// aggregate if the leaf has none or is -1.
  double of(int64_t leaf, int64_t target) const;

  /// Aggregates the weights of one target along a dimension.
  mlir::Value reduce(mlir::Value weights, int64_t axis);

  /// Joins the scores of the targets, one vector of rows each, to rows x targets. A
  /// target without a weight has the score 0.
  mlir::Value finish(llvm::ArrayRef<mlir::Value> targets);

private:
  bool isMin() const { return forest.aggregate == graph::TreeAggregate::Min; }
  bool isMax() const { return forest.aggregate == graph::TreeAggregate::Max; }
  double neutral() const;

  graph::TypedBuilder &b;
  const graph::Forest &forest;
};

} // namespace convoy::simplify
