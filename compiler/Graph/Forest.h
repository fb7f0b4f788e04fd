// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dictionary of graph.tree_ensemble as lists, for the reference and for the
// lowering. Numbers that name nodes come from the model: whoever follows one
// checks it first.

#pragma once

#include "Graph/Graph.h"

namespace convoy::graph {

// ONNX's numbers.
enum class TreeMode { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Member };
enum class TreeAggregate { Average, Sum, Min, Max };
enum class TreePostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

struct Forest {
  llvm::ArrayRef<int64_t> features, trueIds, falseIds, trueLeaves, falseLeaves, missingTracksTrue;
  llvm::ArrayRef<int64_t> targets, roots;
  llvm::ArrayRef<double> splits, modes, weights;
  std::vector<std::vector<double>> members; // per node, empty unless Member
  int64_t targetCount = 0;
  TreeAggregate aggregate = TreeAggregate::Sum;
  TreePostTransform postTransform = TreePostTransform::None;

  int64_t nodeCount() const { return static_cast<int64_t>(features.size()); }
  /// Whether `node` is one that an input of so many features can pass.
  bool isNode(int64_t node, int64_t featureCount) const {
    return node >= 0 && node < nodeCount() && features[node] >= 0 &&
           features[node] < featureCount && modes[node] >= 0 &&
           modes[node] <= static_cast<double>(TreeMode::Member);
  }
  bool isLeaf(int64_t leaf) const {
    return leaf >= 0 && leaf < static_cast<int64_t>(targets.size()) && targets[leaf] >= 0 &&
           targets[leaf] < targetCount;
  }
};

/// Nothing when entries are missing or differ in length.
std::optional<Forest> readForest(TreeEnsembleOp op);

} // namespace convoy::graph
