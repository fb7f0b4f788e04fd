// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the trees of graph.tree_ensemble into tables for a walk without branches.
//
// A comparison of feature and split only depends on the rank of the feature among all
// splits of the feature. A walk therefore compares integers:
//
//     node      = column << nodeBits | cut      column: a feature; cut: rank of the split
//     goes less = rank(x[column]) <= cut
//
// If nodes test for equality, ranks are doubled: an odd rank is equal to a split, an even rank is
// between two splits. A bit above the cut marks the nodes that go less if rank and cut are equal.
//
// A column is a feature together with the rank of a NaN: above all splits (false for
// each comparison with `less`), or below. If all trees are complete or become complete
// with few copies of leaves, four levels of a tree are a block of 16 nodes, which is a
// cache line. Nodes of a block are numbered as in a heap, from 1:
//
//              1                  child = 2 node + (goes less ? 0 : 1)
//          2       3              the children of nodes 8 ... 15 are the first nodes of
//        4   5   6   7            16 blocks of the next group, which are smaller in the
//                                 last group if the depth is not a multiple of 4
//
// Otherwise a table holds the child on the less side of each node, and the other child
// is the next node. A leaf is its own child.

#pragma once

#include "Graph/Forest.h"

namespace convoy::simplify {

constexpr int64_t kBlockLevels = 4;

struct ForestTables {
  int64_t trees = 0;
  int64_t depth = 0;
  bool isComplete = false;
  /// Packed nodes. Complete trees have `treeNodes` nodes each, in groups of blocks.
  std::vector<int64_t> nodes;
  int64_t treeNodes = 0;
  /// Returns the nodes of a block, of which the first is unused.
  int64_t blockNodes(int64_t group) const {
    return int64_t(1) << std::min(kBlockLevels, depth - group * kBlockLevels);
  }
  /// The first node of each group of blocks in a tree.
  std::vector<int64_t> groups;
  /// The child on the less side of each node of a forest that is not complete.
  std::vector<int64_t> children;
  std::vector<int64_t> roots;
  /// The leaf of each place: 2^depth per tree if complete, else one per node. A branch
  /// has -1. A tree without weights, of which all leaves are -1, follows the last tree.
  std::vector<int64_t> leaves;
  /// The splits of a feature are fewer than 2^rankBits.
  int64_t rankBits = 0;
  /// Whether nodes test for equality and ranks are doubled.
  bool hasEqual = false;
  /// The bits of a cut, and of a node without its column.
  int64_t cutBits() const { return rankBits + (hasEqual ? 1 : 0); }
  int64_t nodeBits() const { return cutBits() + (hasEqual ? 1 : 0); }
  /// The features that nodes read, and the sorted splits of each. A feature is on the less
  /// side of a split if it is below, or if it is equal and `isInclusive` is set.
  bool isInclusive = false;
  std::vector<int64_t> features;
  std::vector<std::vector<double>> splits;
  /// Whether nodes compare ranks in which NaN is above all splits, or below. If both,
  /// the columns above come first.
  bool hasNanAbove = false, hasNanBelow = false;
};

/// Chooses the form of the comparisons that needs no other splits if all nodes have it. In another
/// form, a split 0 becomes a subnormal number, which a CPU that flushes subnormals reads as 0.
/// Returns nullopt if a node tests for membership, a node with equality tracks missing values as
/// equal or has a split that is no feature value, a split is infinite, or the tables become too
/// large. The walk has at most `depth` steps and stays in its
/// tables. `isSingle` means that the features are f32.
std::optional<ForestTables> makeForestTables(const graph::Forest &forest, int64_t depth,
                                             bool isSingle);

} // namespace convoy::simplify
