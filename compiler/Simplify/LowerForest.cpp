// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph.tree_ensemble to a walk that compares the ranks of features with the
// tables of ForestTables.h. All trees of all rows take each step together, and the
// number of steps is the depth of the deepest tree:
//
//     rank[f, n] = number of splits of feature f for which x[n, f] is not on the less side
//     place[t, n] = root of tree t
//     repeat: node  = nodes[place]
//             place = child of place on the side of rank[node >> bits, n] <= (node & mask)
//     y[n, c] = sum over t of weight[place[t, n], c]
//
// In the first steps, each tree has few nodes to choose from. Selects by the turns of the steps
// before choose among them, so that these steps do not gather nodes:
//
//     step 1: node = node 1     step 2: node = turn 1 ? node 2 : node 3     ...
//
// The last dimension, along which vector lanes run, holds the trees, or the rows of a
// batch if there are many rows and the forest is large. Trees are then a matrix, padded with trees
// without weights, so that lanes run along its rows and the sum along its columns. All tables of a
// walk have one dimension, so that an index is an address. LowerTreeEnsemble.cpp lowers other
// forests.

#include "Simplify/ForestTables.h"
#include "Simplify/LeafWeights.h"
#include "Simplify/LowerLearning.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
namespace {

// Fewer rows do not fill a vector.
constexpr int64_t kLeastRowsInLanes = 8;
// With more rows, lanes still run along trees if there are enough trees, the ranks of a row have at
// most this many columns, which AVX-512 looks up in registers, and the nodes fit in a second-level
// cache, because each row reads the nodes of all trees.
constexpr int64_t kMostColumnsInRegisters = 128;
constexpr int64_t kMostCachedNodes = int64_t(1) << 18;
// Walks that run in lanes together if lanes run along trees: four vectors of AVX-512.
constexpr int64_t kMostTreesInLanes = 64;
// The steps that choose nodes by selects. The last of them takes three selects per vector; one more
// step would take seven, which is as slow as a gather.
constexpr int64_t kChosenLevels = 3;

class ForestBuilder {
public:
  ForestBuilder(TypedBuilder &b, const Forest &forest, const ForestTables &tables, int64_t rows)
      : b(b), forest(forest), tables(tables), rows(rows),
        columns(static_cast<int64_t>(tables.features.size()) *
                (tables.hasNanAbove && tables.hasNanBelow ? 2 : 1)) {
    bool isLookup = tables.trees >= kMostTreesInLanes && columns <= kMostColumnsInRegisters &&
                    static_cast<int64_t>(tables.nodes.size()) <= kMostCachedNodes;
    isByRow = rows >= kLeastRowsInLanes && !isLookup;
    steps = llvm::divideCeil(tables.trees, kMostTreesInLanes);
    lanes = llvm::divideCeil(tables.trees, steps);
    // A few more walks make all vectors whole.
    bool isNearlyWhole = lanes + lanes / 8 >= kMostTreesInLanes;
    lanes = isNearlyWhole ? kMostTreesInLanes : lanes;
  }

  /// Returns the aggregated weights, rows x targets, in the type of the features.
  Value build(Value features) {
    Value x = isByRow ? b.transpose(features, {1, 0}) : features;
    ranks = rankColumns(selectFeatures(x));
    ranks = isRowLookup() ? ranks : b.reshape(ranks, {-1});
    return aggregate(tables.isComplete ? walkBlocks() : walkList(), b.element(features));
  }

private:
  /// Returns whether lanes run along the trees of one of several rows.
  bool isRowLookup() const { return !isByRow && rows > 1; }
  /// The dimension that tables are looked up along: tables have one row (or column) per
  /// tree or feature.
  int64_t axis() const { return isByRow ? 1 : 0; }
  int64_t other() const { return 1 - axis(); }
  Value number(int64_t value) { return b.constant(Tensor::scalar(ElementType::I32, value)); }

  /// Returns a constant with `entry(i, j)` for entry j of tree or feature i.
  template <typename Fn>
  Value table(ElementType type, int64_t count, int64_t entries, Fn entry) {
    Tensor result(type, isByRow ? Shape{count, entries} : Shape{entries, count});
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < entries; ++j) {
        result.setDouble(isByRow ? i * entries + j : j * count + i,
                         static_cast<double>(entry(i, j)));
      }
    }
    return b.constant(result);
  }

  Value selectFeatures(Value x) {
    int64_t count = cast<RankedTensorType>(x.getType()).getDimSize(other());
    auto used = static_cast<int64_t>(tables.features.size());
    if (used == count) {
      return x;
    }
    return b.emit<GatherOp>(x, b.ints(tables.features), other());
  }

  /// Returns the ranks of all columns.
  Value rankColumns(Value x) {
    Value ranks = rank(x);
    if (!tables.hasNanBelow) {
      return ranks;
    }
    Value below = b.select(b.unary(UnaryKind::IsNaN, x), number(0), ranks);
    return tables.hasNanAbove ? b.concat({ranks, below}, other()) : below;
  }

  /// Finds the ranks by a binary search in the splits, which are padded with infinity. A
  /// NaN is less than no split, so its rank is the largest.
  Value rank(Value x) {
    auto features = static_cast<int64_t>(tables.features.size());
    int64_t entries = (int64_t(1) << tables.rankBits) - 1;
    auto split = [&](int64_t i, int64_t j) {
      const std::vector<double> &list = tables.splits[i];
      return j < static_cast<int64_t>(list.size()) ? list[j]
                                                   : std::numeric_limits<double>::infinity();
    };
    Value splits = table(b.element(x), features, entries + (tables.hasEqual ? 1 : 0), split);
    int64_t half = int64_t(1) << (tables.rankBits - 1);
    BinaryKind kind = tables.isInclusive ? BinaryKind::LessEqual : BinaryKind::Less;
    Value first =
        table(b.element(x), features, 1, [&](int64_t i, int64_t) { return split(i, half - 1); });
    Value found = b.select(b.binary(kind, x, first), number(0), number(half));
    for (int64_t step = half / 2; step > 0; step /= 2) {
      Value at = b.add(found, number(step - 1));
      Value isLess = b.binary(kind, x, b.emit<GatherElementsOp>(splits, at, axis()));
      found = b.select(isLess, found, b.add(found, number(step)));
    }
    if (!tables.hasEqual) {
      return found;
    }
    Value isSplit = b.binary(BinaryKind::Equal, x, b.emit<GatherElementsOp>(splits, found, axis()));
    return b.add(b.add(found, found), b.select(isSplit, number(1), number(0)));
  }

  /// Returns the shape of all walks. GatherElementsOp reads the ranks of a row, so walks of several
  /// rows have two dimensions, too.
  Shape walkShape() const {
    if (isByRow) {
      return {tables.trees, rows};
    }
    return isRowLookup() ? Shape{rows, steps * lanes} : Shape{rows, steps, lanes};
  }

  /// Returns a constant with one number per tree that broadcasts over the walks. The number of
  /// trees includes the trees without weights.
  template <typename Fn>
  Value perTree(Fn entry) {
    Shape shape = walkShape();
    shape[isByRow ? 1 : 0] = 1;
    return vector(isByRow ? tables.trees : steps * lanes, shape, entry);
  }
  template <typename Fn>
  Value vector(int64_t count, const Shape &shape, Fn entry) {
    Tensor result(ElementType::I32, shape);
    for (int64_t i = 0; i < count; ++i) {
      result.setInt(i, entry(i));
    }
    return b.constant(result);
  }
  Value list(ArrayRef<int64_t> values) {
    auto count = static_cast<int64_t>(values.size());
    return vector(count, {count}, [&](int64_t i) { return values[i]; });
  }
  Value everywhere(Value perTree) { return b.emit<ExpandOp>(perTree, b.ints(walkShape())); }

  /// Returns the ranks of a column per walk. The ranks are columns x rows if isByRow, else rows x
  /// columns.
  Value rankOf(Value column) {
    if (isRowLookup()) {
      return b.emit<GatherElementsOp>(ranks, column, /*axis=*/1);
    }
    if (isByRow) {
      Value row = vector(rows, {1, rows}, [](int64_t i) { return i; });
      column = b.add(b.mul(column, number(rows)), row);
    }
    return b.emit<GatherOp>(ranks, column, /*axis=*/0);
  }

  /// Returns whether the walk stays on the less side of the nodes.
  Value staysLess(Value node) {
    Value rank = rankOf(b.binary(BinaryKind::ShiftRight, node, number(tables.nodeBits())));
    int64_t cuts = int64_t(1) << tables.cutBits();
    Value cut = b.binary(BinaryKind::BitAnd, node, number(cuts - 1));
    Value isLess = b.binary(BinaryKind::LessEqual, rank, cut);
    if (!tables.hasEqual) {
      return isLess;
    }
    Value flag = b.binary(BinaryKind::BitAnd, node, number(cuts));
    Value isOrder = b.binary(BinaryKind::Equal, flag, number(0));
    Value isEqual = b.binary(BinaryKind::Equal, rank, cut);
    return b.binary(BinaryKind::And, isLess, b.binary(BinaryKind::Or, isEqual, isOrder));
  }

  /// Returns the tree whose nodes walk i visits; walks beyond the trees repeat the first.
  int64_t nodesOf(int64_t i) const { return i < tables.trees ? i : 0; }
  int64_t leavesOf(int64_t i) const { return std::min(i, tables.trees); }

  /// Walks complete trees. Blocks start at multiples of their size, so the low bits of a
  /// place are the number in the block. Returns the position of the leaf in all trees.
  Value walkBlocks() {
    Value nodes = list(tables.nodes);
    Value place = perTree([&](int64_t i) { return nodesOf(i) * tables.treeNodes + 1; });
    SmallVector<Value> turns;
    for (int64_t level = 0; level < tables.depth; ++level) {
      Value node = level < kChosenLevels ? chosenNode(turns, /*own=*/1)
                                         : b.emit<GatherOp>(nodes, place, /*axis=*/0);
      turns.push_back(staysLess(level == 0 ? everywhere(node) : node));
      place = descend(place, turns.back(), level);
    }
    return place;
  }

  /// Returns the node of the first block of each tree to which the turns lead from node `own`.
  Value chosenNode(ArrayRef<Value> turns, int64_t own) {
    if (turns.empty()) {
      return perTree([&](int64_t i) { return tables.nodes[nodesOf(i) * tables.treeNodes + own]; });
    }
    return b.select(turns.front(), chosenNode(turns.drop_front(), 2 * own),
                    chosenNode(turns.drop_front(), 2 * own + 1));
  }

  Value descend(Value place, Value isLess, int64_t level) {
    int64_t group = level / kBlockLevels;
    int64_t size = tables.blockNodes(group);
    Value own = b.binary(BinaryKind::BitAnd, place, number(size - 1));
    bool isLast = level + 1 == tables.depth;
    if (!isLast && (level + 1) % kBlockLevels != 0) {
      return b.add(place, b.add(own, b.select(isLess, number(0), number(1))));
    }
    // The position of the child in its level is block * size + 2 own + turn - size.
    Value from = b.add(own, own);
    if (group > 0) {
      Value start =
          perTree([&](int64_t i) { return nodesOf(i) * tables.treeNodes + tables.groups[group]; });
      from = b.add(from, b.sub(b.sub(place, own), start));
    }
    int64_t scale = isLast ? 1 : tables.blockNodes(group + 1);
    from = scale == 1 ? from : b.mul(from, number(scale));
    Value next = b.add(from, b.select(isLess, number(0), number(scale)));
    return b.add(next, perTree([&](int64_t i) {
                   int64_t first =
                       isLast ? leavesOf(i) << tables.depth
                              : nodesOf(i) * tables.treeNodes + tables.groups[group + 1] + 1;
                   return first - size * scale;
                 }));
  }

  Value walkList() {
    Value nodes = list(tables.nodes), children = list(tables.children);
    Value place = everywhere(perTree([&](int64_t i) { return tables.roots[leavesOf(i)]; }));
    for (int64_t level = 0; level < tables.depth; ++level) {
      Value node = b.emit<GatherOp>(nodes, place, /*axis=*/0);
      Value turn = b.select(staysLess(node), number(0), number(1));
      place = b.add(b.emit<GatherOp>(children, place, /*axis=*/0), turn);
    }
    return place;
  }

  //===-- Weights -----------------------------------------------------------===//

  Value aggregate(Value place, ElementType type) {
    place = isRowLookup() ? b.reshape(place, {rows, steps, lanes}) : place;
    return LeafWeights(b, forest, tables.leaves, type).aggregate(place, isByRow);
  }

  TypedBuilder &b;
  const Forest &forest;
  const ForestTables &tables;
  int64_t rows;
  int64_t columns;      // of the ranks
  bool isByRow;         // lanes run along rows
  int64_t steps, lanes; // the walks of a row if lanes run along trees
  Value ranks;
};

} // namespace

Value lowerForest(TypedBuilder &b, const Forest &forest, int64_t depth, Value features,
                  int64_t rows) {
  bool isSingle = b.element(features) != ElementType::F64;
  std::optional<ForestTables> tables = makeForestTables(forest, depth, isSingle);
  // The indices of all tables have 32 bits.
  constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max();
  if (!tables || rows > kMostElements / (2 * std::max<int64_t>(tables->features.size(), 1))) {
    return Value();
  }
  Value x = b.cast(features, isSingle ? ElementType::F32 : ElementType::F64);
  return ForestBuilder(b, forest, *tables, rows).build(x);
}

} // namespace convoy::simplify
