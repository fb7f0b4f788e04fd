// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the trees of TreeEnsembleClassifier and TreeEnsembleRegressor.

#pragma once

#include "Import/Learning.h"
#include <map>

namespace convoy::import {

/// The lists of graph.tree_ensemble.
struct TreeForm {
  Shape features, trueIds, falseIds, trueLeaves, falseLeaves, missingTracksTrue;
  Shape roots, targets;
  Shape leafStarts; // the first entry of each leaf in targets and weights, then their number
  llvm::SmallVector<double> splits, modes, weights;
};

class TreeFormReader {
public:
  /// The names of the weight attributes start with `weightPrefix`: class or target.
  TreeFormReader(NodeContext &n, llvm::StringRef weightPrefix);

  /// Fills `form`. Emits an error if a list has the wrong length or refers to a node
  /// that does not exist.
  mlir::LogicalResult read();

  TreeForm form;

private:
  struct LeafEntry {
    int64_t target;
    double weight;
  };

  mlir::FailureOr<Shape> nodeInts(llvm::StringRef name, bool isOptional = false);
  mlir::LogicalResult readModes();
  mlir::LogicalResult readNodes();
  mlir::LogicalResult numberNodes();
  mlir::LogicalResult addChild(size_t row, int64_t child, Shape &childIds, Shape &isLeaf);
  void addRoots();
  mlir::LogicalResult readLeaves();

  NodeContext &n;
  std::string prefix;
  Shape trees, ids, modes, number;
  int64_t leafCount = 0;
  std::map<std::pair<int64_t, int64_t>, size_t> rowOf; // (tree, node) -> row of the lists
};

mlir::DictionaryAttr treeAttributes(NodeContext &n, const TreeForm &form, int64_t targets,
                                    graph::TreeAggregate aggregate);

/// Returns for each target whether every leaf of some tree has a weight for the target
/// (then each row has a score), no leaf has (then no row has), or neither (nullopt).
llvm::SmallVector<std::optional<bool>> staticScores(const TreeForm &form, int64_t targets);

/// Returns whether a reached leaf has a weight for the target, whatever the weight. The
/// tensor of i1 broadcasts to rows x targets.
mlir::Value scoredTargets(NodeContext &n, mlir::Value x, const TreeForm &form, int64_t targets);

} // namespace convoy::import
