// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the attributes of graph.tree_ensemble into lists, for the reference
// interpreter and for the lowering. Node indices come from the model and are
// unchecked; callers must check an index with isNode before they use it.

#pragma once

#include "Graph/Graph.h"
#include "llvm/ADT/Sequence.h"

namespace convoy::graph {

// The values of ONNX's attribute nodes_modes.
enum class TreeMode { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Member };
enum class TreeAggregate { Average, Sum, Min, Max };
enum class TreePostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

struct Forest {
  llvm::ArrayRef<int64_t> features, trueIds, falseIds, trueLeaves, falseLeaves, missingTracksTrue;
  llvm::ArrayRef<int64_t> targets, roots;
  llvm::ArrayRef<double> splits, modes, weights;
  /// The first entry of each leaf in `targets` and `weights`, then their number. If
  /// empty, leaf i has entry i.
  llvm::ArrayRef<int64_t> leafStarts;
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
  int64_t leafCount() const {
    return static_cast<int64_t>(leafStarts.empty() ? targets.size() : leafStarts.size() - 1);
  }
  /// Returns the positions of the targets and weights of a leaf.
  llvm::iota_range<int64_t> entries(int64_t leaf) const {
    return leafStarts.empty() ? llvm::seq<int64_t>(leaf, leaf + 1)
                              : llvm::seq<int64_t>(leafStarts[leaf], leafStarts[leaf + 1]);
  }
  bool isLeaf(int64_t leaf) const {
    return leaf >= 0 && leaf < leafCount() &&
           llvm::all_of(
               entries(leaf),
               [&](int64_t i) { return targets[i] >= 0 && targets[i] < targetCount; });
  }
};

/// Returns nullopt if entries are missing or differ in length.
std::optional<Forest> readForest(TreeEnsembleOp op);

} // namespace convoy::graph
