// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves the assignment problem of Assignment.h by node elimination. Each eliminated node adds its
// cost to its neighbors as a function of their options. A backward pass then picks the option of
// each node.

#include "Layout/Assignment.h"
#include <algorithm>
#include <limits>
#include <set>

namespace convoy::layout {

size_t Assignment::addNode(std::vector<double> costs) {
  nodes.push_back({std::move(costs), {}, false});
  return nodes.size() - 1;
}

void Assignment::addEdge(size_t a, size_t b, const std::vector<std::vector<double>> &cost) {
  size_t rows = nodes[a].costs.size();
  size_t columns = nodes[b].costs.size();
  Matrix &forward = nodes[a].edges.try_emplace(b, rows, std::vector<double>(columns)).first->second;
  Matrix &backward =
      nodes[b].edges.try_emplace(a, columns, std::vector<double>(rows)).first->second;
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      forward[i][j] += cost[i][j];
      backward[j][i] += cost[i][j];
    }
  }
}

Assignment::Removal Assignment::take(size_t node) {
  Node &taken = nodes[node];
  Removal removal{node, {}, taken.costs};
  for (const auto &[neighbor, matrix] : taken.edges) {
    removal.neighbors.push_back({neighbor, matrix});
    nodes[neighbor].edges.erase(node);
  }
  taken.edges.clear();
  taken.isDone = true;
  return removal;
}

/// Adds to each option of the neighbor the cost of the best matching option of the removed node.
void Assignment::reduceOne(const Removal &removal) {
  const auto &[neighbor, matrix] = removal.neighbors[0];
  std::vector<double> &costs = nodes[neighbor].costs;
  for (size_t j = 0; j < costs.size(); ++j) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < removal.costs.size(); ++i) {
      least = std::min(least, removal.costs[i] + matrix[i][j]);
    }
    costs[j] += least;
  }
}

/// Adds an edge between the two neighbors: for each pair of their options, the cost of the best
/// option of the removed node.
void Assignment::reduceTwo(const Removal &removal) {
  const auto &[first, toFirst] = removal.neighbors[0];
  const auto &[second, toSecond] = removal.neighbors[1];
  Matrix joint(nodes[first].costs.size(), std::vector<double>(nodes[second].costs.size()));
  for (size_t j = 0; j < joint.size(); ++j) {
    for (size_t k = 0; k < joint[j].size(); ++k) {
      double least = std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < removal.costs.size(); ++i) {
        least = std::min(least, removal.costs[i] + toFirst[i][j] + toSecond[i][k]);
      }
      joint[j][k] = least;
    }
  }
  addEdge(first, second, joint);
}

/// Fixes the removed node to the option with the least total cost, assuming that each neighbor
/// takes its best option. The neighbors then pay for the fixed option only.
void Assignment::decide(const Removal &removal) {
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < removal.costs.size(); ++i) {
    double total = removal.costs[i];
    for (const auto &[neighbor, matrix] : removal.neighbors) {
      double own = std::numeric_limits<double>::infinity();
      for (size_t j = 0; j < matrix[i].size(); ++j) {
        own = std::min(own, matrix[i][j] + nodes[neighbor].costs[j]);
      }
      total += own;
    }
    if (total < least) {
      least = total;
      best = i;
    }
  }
  for (const auto &[neighbor, matrix] : removal.neighbors) {
    for (size_t j = 0; j < matrix[best].size(); ++j) {
      nodes[neighbor].costs[j] += matrix[best][j];
    }
  }
}

std::vector<size_t> Assignment::solve() {
  std::vector<Removal> removals;
  // The set is ordered by degree, then by node number. Each removal re-inserts the neighbors with
  // their new degrees, so the order stays correct.
  std::set<std::pair<size_t, size_t>> queue;
  std::vector<size_t> degree(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    degree[i] = nodes[i].edges.size();
    queue.insert({degree[i], i});
  }
  auto refresh = [&](size_t i) {
    queue.erase({degree[i], i});
    degree[i] = nodes[i].edges.size();
    queue.insert({degree[i], i});
  };
  while (!queue.empty()) {
    size_t node = queue.begin()->second;
    queue.erase(queue.begin());
    removals.push_back(take(node));
    const Removal &removal = removals.back();
    if (removal.neighbors.size() == 1) {
      reduceOne(removal);
    } else if (removal.neighbors.size() == 2) {
      reduceTwo(removal);
    } else if (removal.neighbors.size() > 2) {
      decide(removal);
    }
    for (const auto &[neighbor, matrix] : removal.neighbors) {
      refresh(neighbor);
    }
  }
  std::vector<size_t> chosen(nodes.size(), 0);
  for (auto it = removals.rbegin(); it != removals.rend(); ++it) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < it->costs.size(); ++i) {
      double total = it->costs[i];
      for (const auto &[neighbor, matrix] : it->neighbors) {
        total += matrix[i][chosen[neighbor]];
      }
      if (total < least) {
        least = total;
        chosen[it->node] = i;
      }
    }
  }
  return chosen;
}

} // namespace convoy::layout
