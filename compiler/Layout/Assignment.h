// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing one option per node of a graph so that the sum of the options' own
// costs and of the costs between neighbours is least. Nodes with one or two
// neighbours are solved exactly, by dynamic programming over the graph; that
// covers chains, residual connections and branches. Where every node left has
// three or more, one is decided by its best option so far.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace convoy::layout {

class Assignment {
public:
  /// Adds a node with the cost of each of its options; returns its number.
  size_t addNode(std::vector<double> costs);
  /// Adds what options of two nodes cost together: cost[i][j] for option i of `a`
  /// and j of `b`. Several edges between two nodes add up.
  void addEdge(size_t a, size_t b, const std::vector<std::vector<double>> &cost);

  /// The chosen option of each node. Equal costs go to the lower option, so equal
  /// input gives equal choices.
  std::vector<size_t> solve();

private:
  using Matrix = std::vector<std::vector<double>>;
  struct Node {
    std::vector<double> costs;
    std::map<size_t, Matrix> edges; // by neighbour; own options are rows
    bool isDone = false;
  };
  /// A node taken out before others: how it follows from them.
  struct Removal {
    size_t node;
    std::vector<std::pair<size_t, Matrix>> neighbours;
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
