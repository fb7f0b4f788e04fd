// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the attributes of graph.tree_ensemble into lists, for the reference
// interpreter and for the lowering. Node indices come from the model and are
// unchecked; callers must check an index with isNode before they use it.

#pragma once

#include "Graph/Graph.h"

namespace convoy::graph {

// The values of ONNX's attribute nodes_modes.
enum class TreeMode { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Member };
enum class TreeAggregate { Average, Sum, Min, Max };
enum class TreePostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

struct Forest {
  llvm::ArrayRef<int64_t> features, trueIds, falseIds, trueLeaves, falseLeaves, missingTracksTrue;
  llvm::ArrayRef<int64_t> targets, roots;
  llvm::ArrayRef<double> splits, modes, weights;
  std::vector<std::vector<double>> members; // per node; empty unless the mode is Member
  int64_t targetCount = 0;
  TreeAggregate aggregate = TreeAggregate::Sum;
  TreePostTransform postTransform = TreePostTransform::None;

  int64_t nodeCount() const { return static_cast<int64_t>(features.size()); }
  /// Returns whether `node` is a valid node whose feature index is below
  /// `featureCount`.
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

/// Returns nullopt if entries are missing or differ in length.
std::optional<Forest> readForest(TreeEnsembleOp op);

} // namespace convoy::graph
