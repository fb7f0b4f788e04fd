// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aggregates the weights of the leaves that the walks of a forest reach, for the
// lowerings of graph.tree_ensemble. With few targets, each target has a table of weights:
//
//     y[n, c] = sum over t of weights_c[place[t, n]]
//
// With many targets and at most one weight per leaf, one table holds the weights and one the
// targets:
//
//     y[n, c] = sum over t of (targets[place[t, n]] == c ? weights[place[t, n]] : 0)

#pragma once

#include "Graph/Forest.h"
#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

class LeafWeights {
public:
  /// `leaves` holds the leaf of each place, or -1 for a place without weights. Scores have the type
  /// `type`.
  LeafWeights(graph::TypedBuilder &b, const graph::Forest &forest, llvm::ArrayRef<int64_t> leaves,
              ElementType type)
      : b(b), forest(forest), leaves(leaves), type(type) {}

  /// Returns whether the tables are not much larger than the weights of the forest.
  static bool fits(const graph::Forest &forest);

  /// Returns the scores, rows x targets. `place` is trees x rows if `isByRow`, else the first
  /// dimension has the rows and the others the trees. A target without a weight has the score 0.
  mlir::Value aggregate(mlir::Value place, bool isByRow);

private:
  mlir::Value separate(mlir::Value place, bool isByRow);
  mlir::Value joint(mlir::Value place, bool isByRow);
  std::vector<std::vector<double>> tables() const;
  mlir::Value reduce(mlir::Value weights, int64_t axis);
  mlir::Value finish(mlir::Value scores);
  bool isMin() const { return forest.aggregate == graph::TreeAggregate::Min; }
  bool isMax() const { return forest.aggregate == graph::TreeAggregate::Max; }
  /// Returns the weight that does not change the aggregate.
  double neutral() const;

  graph::TypedBuilder &b;
  const graph::Forest &forest;
  llvm::ArrayRef<int64_t> leaves;
  ElementType type;
};

} // namespace convoy::simplify
