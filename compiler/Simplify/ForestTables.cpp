// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the tables of ForestTables.h.

#include "Simplify/ForestTables.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <map>

using namespace mlir;

namespace convoy::simplify {

using graph::Forest;
using graph::TreeMode;
namespace {

// A forest may grow by this factor when leaves are copied to complete its trees, or nodes with
// several parents are copied, ...
constexpr int64_t kMostGrowth = 3;
// ... and complete trees have at most this depth.
constexpr int64_t kMostCompleteDepth = 12;
// The ranks need one entry per column and power of two. Features with few splits waste entries.
constexpr int64_t kMostRankEntries = int64_t(1) << 20;
constexpr int64_t kMostRankGrowth = 16;

/// A node as `x < cut`, or `x <= cut` if the tables are inclusive, with the children on both sides.
/// In tables with equality, isStrict selects `x < cut` and isEqual `x == cut`, of which the equal
/// side is the less side.
struct Comparison {
  double cut = 0;
  bool isStrict = false;
  bool isEqual = false;
  bool isNanLess = false;
  bool swaps = false; // the false branch is on the less side
};

/// Returns the smallest number above x.
double above(double x, bool isSingle) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!isSingle) {
    return std::nextafter(x, kInfinity);
  }
  // The smallest float above x, which may be between two floats.
  auto rounded = static_cast<float>(x);
  return static_cast<double>(rounded) > x
             ? rounded
             : std::nextafter(rounded, std::numeric_limits<float>::infinity());
}

/// Returns the smallest number that is x or more.
double atLeast(double x, bool isSingle) {
  auto rounded = static_cast<float>(x);
  bool isExact = !isSingle || static_cast<double>(rounded) >= x;
  return isExact ? (isSingle ? rounded : x) : above(x, isSingle);
}

/// Returns the largest number that is x or less.
double atMost(double x, bool isSingle) {
  auto rounded = static_cast<float>(x);
  return !isSingle ? x
         : static_cast<double>(rounded) <= x
             ? rounded
             : std::nextafter(rounded, -std::numeric_limits<float>::infinity());
}

TreeMode modeOf(double mode) { return static_cast<TreeMode>(static_cast<int>(mode)); }

/// Returns whether each node tests x <= split or x > split.
bool isInclusive(const Forest &forest) {
  return llvm::all_of(forest.modes, [](double mode) {
    return modeOf(mode) == TreeMode::LessEqual || modeOf(mode) == TreeMode::Greater;
  });
}

bool testsEquality(const Forest &forest) {
  return llvm::any_of(forest.modes, [](double mode) {
    return modeOf(mode) == TreeMode::Equal || modeOf(mode) == TreeMode::NotEqual;
  });
}

/// Returns the comparison of a node that tests for equality. A NaN is on the other side, so a node
/// that tracks missing values to the equal side has no comparison.
std::optional<Comparison> equalityOf(double split, TreeMode mode, bool tracksTrue, bool isSingle) {
  bool isExact = !isSingle || static_cast<double>(static_cast<float>(split)) == split;
  if (!isExact || (mode == TreeMode::Equal && tracksTrue)) {
    return std::nullopt;
  }
  Comparison result;
  result.cut = split;
  result.isEqual = true;
  result.swaps = mode == TreeMode::NotEqual;
  return result;
}

std::optional<Comparison> comparisonOf(const Forest &forest, int64_t node, bool isSingle,
                                       const ForestTables &tables) {
  TreeMode mode = modeOf(forest.modes[node]);
  double split = forest.splits[node];
  bool tracksTrue = forest.missingTracksTrue[node] != 0;
  if (!std::isfinite(split) || mode == TreeMode::Member) {
    return std::nullopt;
  }
  if (mode == TreeMode::Equal || mode == TreeMode::NotEqual) {
    return equalityOf(split, mode, tracksTrue, isSingle);
  }
  bool isAbove = mode == TreeMode::LessEqual || mode == TreeMode::Greater;
  Comparison result;
  result.swaps = mode == TreeMode::GreaterEqual || mode == TreeMode::Greater;
  result.cut = tables.isInclusive ? atMost(split, isSingle)
               : isAbove          ? above(split, isSingle)
                                  : atLeast(split, isSingle);
  // Between two floats, `x < split` is `x <= cut`.
  result.isStrict = !isAbove && result.cut == split;
  // NaN takes the false branch unless the node tracks missing values.
  result.isNanLess = result.swaps != tracksTrue;
  return result;
}

/// A child of a node: a node or a leaf.
struct Child {
  int64_t id;
  bool isLeaf;
};

class TableMaker {
public:
  TableMaker(const Forest &forest, int64_t depth, bool isSingle)
      : forest(forest), isSingle(isSingle) {
    tables.depth = depth;
    tables.trees = static_cast<int64_t>(forest.roots.size());
    tables.hasEqual = testsEquality(forest);
    tables.isInclusive = tables.hasEqual || isInclusive(forest);
  }

  std::optional<ForestTables> make() {
    if (!compareAll() || !packColumns()) {
      return std::nullopt;
    }
    int64_t leaves = tables.trees << std::min(tables.depth, kMostCompleteDepth);
    tables.isComplete = tables.depth <= kMostCompleteDepth &&
                        (tables.depth <= 3 || leaves <= kMostGrowth * given());
    if (tables.isComplete) {
      completeTrees();
      return std::move(tables);
    }
    return listNodes() ? std::optional<ForestTables>(std::move(tables)) : std::nullopt;
  }

private:
  int64_t given() const { return forest.nodeCount() + forest.leafCount(); }

  /// Finds the comparisons of the nodes that a walk reaches, and the splits of each
  /// feature.
  bool compareAll() {
    std::map<int64_t, std::vector<double>> cuts;
    comparisons.resize(forest.nodeCount());
    std::vector<bool> isSeen(forest.nodeCount());
    std::vector<int64_t> open(forest.roots.begin(), forest.roots.end());
    while (!open.empty()) {
      int64_t node = open.back();
      open.pop_back();
      if (isSeen[node]) {
        continue;
      }
      isSeen[node] = true;
      std::optional<Comparison> comparison = comparisonOf(forest, node, isSingle, tables);
      if (!comparison) {
        return false;
      }
      comparisons[node] = *comparison;
      cuts[forest.features[node]].push_back(comparison->cut);
      if (!comparison->isEqual) { // no rank of a NaN is equal to a cut
        (comparison->isNanLess ? tables.hasNanBelow : tables.hasNanAbove) = true;
      }
      for (bool isLess : {true, false}) {
        Child child = childOf(node, isLess);
        if (!child.isLeaf) {
          open.push_back(child.id);
        }
      }
    }
    for (auto &[feature, list] : cuts) {
      llvm::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
      columnOf[feature] = static_cast<int64_t>(tables.features.size());
      tables.features.push_back(feature);
      tables.splits.push_back(std::move(list));
    }
    return true;
  }

  /// Chooses the bits of a packed node.
  bool packColumns() {
    size_t longest = 1;
    for (const std::vector<double> &list : tables.splits) {
      longest = std::max(longest, list.size());
    }
    tables.rankBits = llvm::Log2_64_Ceil(longest + 1);
    int64_t columns = static_cast<int64_t>(tables.features.size()) *
                      (tables.hasNanAbove && tables.hasNanBelow ? 2 : 1);
    constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max();
    int64_t most = std::max(kMostRankEntries, kMostRankGrowth * given());
    return columns << tables.rankBits <= most && columns << tables.nodeBits() <= kMostElements &&
           kMostGrowth * given() < kMostElements / 2;
  }

  Child childOf(int64_t node, bool isLess) const {
    bool isTrue = isLess != comparisons[node].swaps;
    return {(isTrue ? forest.trueIds : forest.falseIds)[node],
            (isTrue ? forest.trueLeaves : forest.falseLeaves)[node] != 0};
  }

  int64_t packed(int64_t node) const {
    const Comparison &comparison = comparisons[node];
    int64_t column = columnOf.find(forest.features[node])->second;
    const std::vector<double> &list = tables.splits[column];
    int64_t cut = llvm::lower_bound(list, comparison.cut) - list.begin();
    if (comparison.isNanLess && tables.hasNanAbove) {
      column += static_cast<int64_t>(tables.features.size());
    }
    if (tables.hasEqual) {
      cut = 2 * cut + (comparison.isStrict ? 0 : 1);
    }
    int64_t equal = comparison.isEqual ? int64_t(1) << tables.cutBits() : 0;
    return column << tables.nodeBits() | equal | cut;
  }

  void completeTrees() {
    int64_t width = int64_t(1) << tables.depth;
    int64_t blocks = 1;
    for (int64_t group = 0; blocks < width; ++group) {
      tables.groups.push_back(tables.treeNodes);
      tables.treeNodes += blocks * tables.blockNodes(group);
      blocks *= tables.blockNodes(group);
    }
    tables.nodes.assign(tables.trees * tables.treeNodes, 0);
    tables.leaves.assign((tables.trees + 1) * width, -1);
    for (auto [tree, root] : llvm::enumerate(forest.roots)) {
      fill(static_cast<int64_t>(tree), 0, 0, {root, false});
    }
  }

  /// Places a node or copies of a leaf at position `at` of a level of a tree.
  void fill(int64_t tree, int64_t level, int64_t at, Child child) {
    if (level == tables.depth) {
      tables.leaves[(tree << tables.depth) + at] = child.id;
      return;
    }
    int64_t group = level / kBlockLevels;
    int64_t first = int64_t(1) << (level % kBlockLevels); // the first number of the level
    int64_t block = at / first;
    int64_t place = tables.groups[group] + block * tables.blockNodes(group) + first + at % first;
    tables.nodes[tree * tables.treeNodes + place] = child.isLeaf ? 0 : packed(child.id);
    fill(tree, level + 1, 2 * at, child.isLeaf ? child : childOf(child.id, true));
    fill(tree, level + 1, 2 * at + 1, child.isLeaf ? child : childOf(child.id, false));
  }

  /// Numbers the nodes in levels, so that the children of a node are adjacent. A node
  /// with several parents is copied.
  bool listNodes() {
    std::vector<Child> places;
    for (int64_t root : forest.roots) {
      tables.roots.push_back(static_cast<int64_t>(places.size()));
      places.push_back({root, false});
    }
    int64_t last = (int64_t(1) << tables.cutBits()) - 1;
    for (size_t i = 0; i < places.size(); ++i) {
      Child place = places[i];
      tables.leaves.push_back(place.isLeaf ? place.id : -1);
      tables.nodes.push_back(place.isLeaf ? last : packed(place.id));
      tables.children.push_back(static_cast<int64_t>(place.isLeaf ? i : places.size()));
      if (!place.isLeaf) {
        places.push_back(childOf(place.id, true));
        places.push_back(childOf(place.id, false));
      }
      if (static_cast<int64_t>(places.size()) > kMostGrowth * given()) {
        return false;
      }
    }
    tables.roots.push_back(static_cast<int64_t>(places.size()));
    tables.leaves.push_back(-1);
    tables.nodes.push_back(last);
    tables.children.push_back(static_cast<int64_t>(places.size()));
    return true;
  }

  const Forest &forest;
  bool isSingle;
  ForestTables tables;
  std::vector<Comparison> comparisons;
  std::map<int64_t, int64_t> columnOf;
};

} // namespace

std::optional<ForestTables> makeForestTables(const Forest &forest, int64_t depth, bool isSingle) {
  return TableMaker(forest, depth, isSingle).make();
}

} // namespace convoy::simplify
