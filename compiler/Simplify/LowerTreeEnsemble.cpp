// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph.tree_ensemble to a walk of all trees for all rows in lockstep.
// LowerForest.cpp lowers forests that compare order and equality, which is faster; this file
// lowers the forests that also test for membership, and those whose tables would be too large. The
// state of each walk is one integer: the index of a node or, after the nodes, the
// index of a leaf, whose successor is the leaf itself. Each step is a few gathers
// from constant tables, and the number of steps is the depth of the deepest tree:
//
//     place[n, t] = root of tree t
//     repeat: value = x[n, feature[place]]
//             place = value <= split[place] ? ifTrue[place] : ifFalse[place]

#include "Graph/Forest.h"
#include "Simplify/LeafWeights.h"
#include "Simplify/LowerLearning.h"
#include <cmath>
#include <limits>
#include <set>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
namespace {

// Each level adds several ops. Only the reference interpreter runs deeper trees.
constexpr int64_t kMaxDepth = 64;

/// Returns the depth of the deepest tree, or nullopt if a walk may leave the tables
/// or visit more than kMaxDepth nodes (possibly a cycle).
std::optional<int64_t> depthOf(const Forest &forest, int64_t features) {
  std::set<int64_t> level(forest.roots.begin(), forest.roots.end());
  int64_t depth = 0;
  for (; !level.empty(); ++depth) {
    std::set<int64_t> next;
    for (int64_t node : level) {
      if (!forest.isNode(node, features) || depth == kMaxDepth) {
        return std::nullopt;
      }
      for (bool isTrue : {true, false}) {
        int64_t child = (isTrue ? forest.trueIds : forest.falseIds)[node];
        if (!(isTrue ? forest.trueLeaves : forest.falseLeaves)[node]) {
          next.insert(child);
        } else if (!forest.isLeaf(child)) {
          return std::nullopt;
        }
      }
    }
    level = std::move(next);
  }
  return depth;
}

class EnsembleBuilder {
public:
  EnsembleBuilder(TypedBuilder &b, const Forest &forest, Value input, int64_t rows)
      : b(b), forest(forest), input(input), rows(rows), nodes(forest.nodeCount()),
        places(nodes + forest.leafCount()) {}

  Value build(int64_t depth) {
    input = b.cast(input, ElementType::F64);
    Value place = b.emit<ExpandOp>(b.ints(forest.roots), b.ints({rows, treeCount()}));
    for (int64_t i = 0; i < depth; ++i) {
      place = step(place);
    }
    return transform(aggregate(place));
  }

  /// Applies the post transform to scores of the type f64.
  Value transform(Value scores) {
    if (forest.postTransform == TreePostTransform::Logistic) {
      return b.unary(UnaryKind::Sigmoid, scores);
    }
    if (forest.postTransform == TreePostTransform::None) {
      return scores;
    }
    Value largest = b.reduce(ReduceKind::Max, scores, {1});
    Value exponential = b.unary(UnaryKind::Exp, b.sub(scores, largest));
    if (forest.postTransform == TreePostTransform::SoftmaxZero) {
      // ONNX's reference implementation uses this threshold.
      Value isZero = b.binary(BinaryKind::Less, b.unary(UnaryKind::Abs, scores), number(1e-7));
      exponential = b.select(isZero, number(0), exponential);
    }
    Value sum = b.reduce(ReduceKind::Sum, exponential, {1});
    Value isEmpty = b.binary(BinaryKind::Equal, sum, number(0));
    return b.select(isEmpty, exponential, b.div(exponential, sum));
  }

private:
  int64_t treeCount() const { return static_cast<int64_t>(forest.roots.size()); }
  Value number(double value) { return b.constant(Tensor::scalar(ElementType::F64, value)); }
  /// Returns table[place], where `entry` computes the entries of the table.
  template <typename Fn>
  Value look(Value place, ElementType type, Fn entry) {
    Tensor table(type, {places});
    for (int64_t i = 0; i < places; ++i) {
      table.setDouble(i, static_cast<double>(entry(i)));
    }
    return b.emit<GatherOp>(b.constant(table), place, 0);
  }

  /// Returns the successor in `ids`. Unreachable nodes may have any value.
  Value follow(Value place, ArrayRef<int64_t> ids, ArrayRef<int64_t> leaves) {
    return look(place, ElementType::I64, [&](int64_t i) {
      if (i >= nodes || ids[i] < 0 || ids[i] >= places) {
        return i;
      }
      return leaves[i] ? nodes + ids[i] : ids[i];
    });
  }

  Value step(Value place) {
    Value feature = look(place, ElementType::I64,
                         [&](int64_t i) { return i < nodes ? forest.features[i] : 0; });
    Value value = b.emit<GatherElementsOp>(input, feature, /*axis=*/1);
    return b.select(takesTrue(place, value), follow(place, forest.trueIds, forest.trueLeaves),
                    follow(place, forest.falseIds, forest.falseLeaves));
  }

  Value takesTrue(Value place, Value value) {
    std::set<int> modes;
    for (double mode : forest.modes) {
      if (mode >= 0 && mode <= static_cast<double>(TreeMode::Member)) {
        modes.insert(static_cast<int>(mode)); // Invalid modes belong to unreachable nodes.
      }
    }
    Value result;
    for (int mode : modes) {
      Value holds = compare(place, value, static_cast<TreeMode>(mode));
      if (modes.size() > 1) {
        Value isMode = look(place, ElementType::Bool,
                            [&](int64_t i) { return i < nodes && forest.modes[i] == mode; });
        holds = b.binary(BinaryKind::And, holds, isMode);
      }
      result = result ? b.binary(BinaryKind::Or, result, holds) : holds;
    }
    if (llvm::any_of(forest.missingTracksTrue, [](int64_t tracks) { return tracks != 0; })) {
      Value tracks = look(place, ElementType::Bool,
                          [&](int64_t i) { return i < nodes && forest.missingTracksTrue[i] != 0; });
      Value isMissing = b.unary(UnaryKind::IsNaN, value);
      result = b.binary(BinaryKind::Or, result, b.binary(BinaryKind::And, isMissing, tracks));
    }
    return result;
  }

  Value compare(Value place, Value value, TreeMode mode) {
    if (mode == TreeMode::Member) {
      return isMember(place, value);
    }
    Value split =
        look(place, ElementType::F64, [&](int64_t i) { return i < nodes ? forest.splits[i] : 0; });
    switch (mode) {
    case TreeMode::LessEqual:
      return b.binary(BinaryKind::LessEqual, value, split);
    case TreeMode::Less:
      return b.binary(BinaryKind::Less, value, split);
    case TreeMode::GreaterEqual:
      return b.binary(BinaryKind::GreaterEqual, value, split);
    case TreeMode::Greater:
      return b.binary(BinaryKind::Greater, value, split);
    case TreeMode::NotEqual:
      return b.unary(UnaryKind::Not, b.binary(BinaryKind::Equal, value, split));
    default:
      return b.binary(BinaryKind::Equal, value, split);
    }
  }

  /// Looks up the sets, which are rows of one table padded with NaN, which equals
  /// no value.
  Value isMember(Value place, Value value) {
    size_t widest = 1;
    for (const std::vector<double> &set : forest.members) {
      widest = std::max(widest, set.size());
    }
    Tensor table(ElementType::F64, {places, static_cast<int64_t>(widest)});
    for (int64_t i = 0; i < places; ++i) {
      for (size_t j = 0; j < widest; ++j) {
        bool isThere = i < nodes && j < forest.members[i].size();
        table.setDouble(i * widest + j,
                        isThere ? forest.members[i][j] : std::numeric_limits<double>::quiet_NaN());
      }
    }
    Value sets = b.emit<GatherOp>(b.constant(table), place, 0);
    Value isEqual = b.binary(BinaryKind::Equal, sets, b.reshape(value, {rows, treeCount(), 1}));
    return isAny(isEqual, 2);
  }

  /// Returns whether any element along the last dimension `axis` is true and
  /// removes the dimension.
  Value isAny(Value condition, int64_t axis) {
    Value count = b.emit<ReduceOp>(ReduceKind::Max, b.cast(condition, ElementType::I32),
                                   b.ints({axis}), /*keepDims=*/false, /*noopWithEmptyAxes=*/true);
    return b.cast(count, ElementType::Bool);
  }

  /// Returns the aggregated weights of the reached leaves, rows x targets.
  Value aggregate(Value place) {
    SmallVector<int64_t> leaves;
    for (int64_t i = 0; i < places; ++i) {
      leaves.push_back(i < nodes ? -1 : i - nodes);
    }
    return LeafWeights(b, forest, leaves, ElementType::F64).aggregate(place, /*isByRow=*/false);
  }

  TypedBuilder &b;
  const Forest &forest;
  Value input;
  int64_t rows, nodes, places;
};

} // namespace

std::optional<SmallVector<Value>> lowerTreeEnsemble(TypedBuilder &b, TreeEnsembleOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type || !type.hasStaticShape() || type.getDimSize(0) == 0) {
    return std::nullopt;
  }
  std::optional<Forest> forest = readForest(op);
  if (!forest || forest->roots.empty() || forest->postTransform == TreePostTransform::Probit) {
    return std::nullopt;
  }
  std::optional<int64_t> depth = depthOf(*forest, type.getDimSize(1));
  if (!depth || !LeafWeights::fits(*forest)) {
    return std::nullopt;
  }
  EnsembleBuilder builder(b, *forest, op.getInput(), type.getDimSize(0));
  ElementType element = b.element(op.getInput());
  Value scores = lowerForest(b, *forest, *depth, op.getInput(), type.getDimSize(0));
  if (!scores) {
    return {{b.cast(builder.build(*depth), element)}};
  }
  if (forest->postTransform != TreePostTransform::None) {
    scores = builder.transform(b.cast(scores, ElementType::F64));
  }
  return {{b.cast(scores, element)}};
}

} // namespace convoy::simplify
