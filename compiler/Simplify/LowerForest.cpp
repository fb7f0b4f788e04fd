// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph.tree_ensemble to a walk that compares the ranks of features with the
// tables of ForestTables.h. All trees of all rows take each step together, and the
// number of steps is the depth of the deepest tree:
//
//     rank[f, n] = number of splits of feature f that are not above x[n, f]
//     place[t, n] = root of tree t
//     repeat: node  = nodes[place]
//             place = child[place] + (rank[node >> bits, n] <= (node & mask) ? 0 : 1)
//     y[n, c] = sum over t of weight[place[t, n], c]
//
// The last dimension, along which vector lanes run, holds the rows of a batch, or the
// trees if there are few rows. LowerTreeEnsemble.cpp lowers other forests.

#include "Simplify/ForestTables.h"
#include "Simplify/LeafWeights.h"
#include "Simplify/LowerLearning.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
namespace {

// Fewer rows do not fill a vector.
constexpr int64_t kLeastRowsInLanes = 8;

class ForestBuilder {
public:
  ForestBuilder(TypedBuilder &b, const Forest &forest, const ForestTables &tables, int64_t rows)
      : b(b), forest(forest), tables(tables), rows(rows), isByRow(rows >= kLeastRowsInLanes) {}

  /// Returns the aggregated weights, rows x targets, in the type of the features.
  Value build(Value features) {
    Value x = isByRow ? b.transpose(features, {1, 0}) : features;
    Value ranks = rankColumns(selectFeatures(x));
    Value place = tables.isComplete ? walkHeap(ranks) : walkList(ranks);
    return aggregate(place, b.element(features));
  }

private:
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
    Value splits = table(b.element(x), features, entries, split);
    int64_t half = int64_t(1) << (tables.rankBits - 1);
    Value first =
        table(b.element(x), features, 1, [&](int64_t i, int64_t) { return split(i, half - 1); });
    Value found = b.select(b.binary(BinaryKind::Less, x, first), number(0), number(half));
    for (int64_t step = half / 2; step > 0; step /= 2) {
      Value at = b.add(found, number(step - 1));
      Value isLess = b.binary(BinaryKind::Less, x, b.emit<GatherElementsOp>(splits, at, axis()));
      found = b.select(isLess, found, b.add(found, number(step)));
    }
    return found;
  }

  /// Returns 1 where the walk leaves the less side of the nodes, else 0.
  Value turns(Value node, Value ranks) {
    Value column = b.binary(BinaryKind::ShiftRight, node, number(tables.rankBits));
    Value cut = b.binary(BinaryKind::BitAnd, node, number((int64_t(1) << tables.rankBits) - 1));
    Value rank = b.emit<GatherElementsOp>(ranks, column, other());
    return b.select(b.binary(BinaryKind::LessEqual, rank, cut), number(0), number(1));
  }

  Shape walkShape() const {
    return isByRow ? Shape{tables.trees, rows} : Shape{rows, tables.trees};
  }

  Value walkHeap(Value ranks) {
    int64_t width = int64_t(1) << tables.depth;
    Value nodes = table(ElementType::I32, tables.trees, width,
                        [&](int64_t i, int64_t j) { return tables.nodes[i * width + j]; });
    Value roots = table(ElementType::I32, tables.trees, 1,
                        [&](int64_t i, int64_t) { return tables.nodes[i * width + 1]; });
    Value node = b.emit<ExpandOp>(roots, b.ints(walkShape()));
    Value place = b.add(turns(node, ranks), number(2));
    for (int64_t level = 1; level < tables.depth; ++level) {
      node = b.emit<GatherElementsOp>(nodes, place, axis());
      place = b.add(b.add(place, place), turns(node, ranks));
    }
    return b.sub(place, number(width));
  }

  Value list(ArrayRef<int64_t> values) {
    Tensor tensor(ElementType::I32, {static_cast<int64_t>(values.size())});
    for (auto [i, value] : llvm::enumerate(values)) {
      tensor.setInt(i, value);
    }
    return b.constant(tensor);
  }

  Value walkList(Value ranks) {
    Value nodes = list(tables.nodes), children = list(tables.children);
    Value roots = table(ElementType::I32, tables.trees, 1,
                        [&](int64_t i, int64_t) { return tables.roots[i]; });
    Value place = b.emit<ExpandOp>(roots, b.ints(walkShape()));
    for (int64_t level = 0; level < tables.depth; ++level) {
      Value node = b.emit<GatherOp>(nodes, place, /*axis=*/0);
      place = b.add(b.emit<GatherOp>(children, place, /*axis=*/0), turns(node, ranks));
    }
    return place;
  }

  //===-- Weights -----------------------------------------------------------===//

  Value aggregate(Value place, ElementType type) {
    LeafWeights leaves(b, forest);
    SmallVector<Value> columns;
    for (int64_t target = 0; target < forest.targetCount; ++target) {
      columns.push_back(leaves.reduce(weights(leaves, place, target, type), isByRow ? 0 : 1));
    }
    return leaves.finish(columns);
  }

  /// Returns the weight of each reached leaf for one target.
  Value weights(const LeafWeights &leaves, Value place, int64_t target, ElementType type) {
    if (tables.isComplete) {
      int64_t width = int64_t(1) << tables.depth;
      Value weights = table(type, tables.trees, width, [&](int64_t i, int64_t j) {
        return leaves.of(tables.leaves[i * width + j], target);
      });
      return b.emit<GatherElementsOp>(weights, place, axis());
    }
    Tensor weights(type, {static_cast<int64_t>(tables.leaves.size())});
    for (auto [i, leaf] : llvm::enumerate(tables.leaves)) {
      weights.setDouble(i, leaf < 0 ? 0 : leaves.of(leaf, target));
    }
    return b.emit<GatherOp>(b.constant(weights), place, /*axis=*/0);
  }

  TypedBuilder &b;
  const Forest &forest;
  const ForestTables &tables;
  int64_t rows;
  bool isByRow;
};

} // namespace

Value lowerForest(TypedBuilder &b, const Forest &forest, int64_t depth, Value features,
                  int64_t rows) {
  bool isSingle = b.element(features) != ElementType::F64;
  std::optional<ForestTables> tables = makeForestTables(forest, depth, isSingle);
  if (!tables) {
    return Value();
  }
  Value x = b.cast(features, isSingle ? ElementType::F32 : ElementType::F64);
  return ForestBuilder(b, forest, *tables, rows).build(x);
}

} // namespace convoy::simplify
