// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses one option per node of a graph and minimizes the sum of node costs and edge costs. The
// layout pass uses it to choose a candidate for each kernel. The solver eliminates nodes with one
// or two neighbors exactly, by dynamic programming. This covers chains, residual connections and
// branches. If every remaining node has three or more neighbors, the solver fixes one node
// heuristically to its best option.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace convoy::layout {

class Assignment {
public:
  /// Adds a node with the cost of each of its options. Returns the number of the node.
  size_t addNode(std::vector<double> costs);
  /// Adds an edge: cost[i][j] is the cost of option i of `a` together with option j of `b`. Costs
  /// of several edges between the same two nodes add up.
  void addEdge(size_t a, size_t b, const std::vector<std::vector<double>> &cost);

  /// Returns the chosen option of each node. If costs are equal, the lower option wins, so equal
  /// input gives equal choices.
  std::vector<size_t> solve();

private:
  using Matrix = std::vector<std::vector<double>>;
  struct Node {
    std::vector<double> costs;
    std::map<size_t, Matrix> edges; // by neighbor; rows are the node's own options
    bool isDone = false;
  };
  /// An eliminated node, with its costs and its edges to the nodes that are eliminated later.
  struct Removal {
    size_t node;
    std::vector<std::pair<size_t, Matrix>> neighbors;
    std::vector<double> costs;
  };

  Removal take(size_t node);
  void reduceOne(const Removal &removal);
  void reduceTwo(const Removal &removal);
  void decide(const Removal &removal);
  std::vector<size_t> nodesOfDegree(size_t degree) const;

  std::vector<Node> nodes;
};

} // namespace convoy::layout
