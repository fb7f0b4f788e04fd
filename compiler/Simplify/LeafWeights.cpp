// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements LeafWeights.h.

#include "Simplify/LeafWeights.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
namespace {

// More targets with one weight per leaf have joint tables.
constexpr int64_t kMostSeparateTargets = 16;
// The tables of leaves with several weights may have this many entries, ...
constexpr int64_t kMostEntries = int64_t(1) << 20;
// ... or this many per weight.
constexpr int64_t kMostGrowth = 16;

/// Returns whether no leaf has several weights.
bool hasSingleWeights(const Forest &forest) {
  return llvm::all_of(llvm::seq<int64_t>(0, forest.leafCount()),
                      [&](int64_t leaf) { return forest.entries(leaf).size() <= 1; });
}

} // namespace

bool LeafWeights::fits(const Forest &forest) {
  int64_t entries = 0;
  bool isHuge = llvm::MulOverflow(forest.leafCount(), forest.targetCount, entries);
  auto given = static_cast<int64_t>(forest.weights.size());
  return hasSingleWeights(forest) ||
         (!isHuge && entries <= std::max(kMostEntries, kMostGrowth * given));
}

double LeafWeights::neutral() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return isMin() ? kInfinity : isMax() ? -kInfinity : 0;
}

Value LeafWeights::aggregate(Value place, bool isByRow) {
  bool isJoint = forest.targetCount > kMostSeparateTargets && hasSingleWeights(forest);
  return finish(isJoint ? joint(place, isByRow) : separate(place, isByRow));
}

Value LeafWeights::separate(Value place, bool isByRow) {
  SmallVector<Value> columns;
  for (const std::vector<double> &table : tables()) {
    Tensor constant(type, {static_cast<int64_t>(table.size())});
    for (auto [i, weight] : llvm::enumerate(table)) {
      constant.setDouble(i, weight);
    }
    Value weights = b.emit<GatherOp>(b.constant(constant), place, /*axis=*/0);
    int64_t rank = cast<RankedTensorType>(weights.getType()).getRank();
    for (int64_t i = 1; i < rank; ++i) {
      weights = reduce(weights, isByRow ? 0 : 1);
    }
    columns.push_back(b.reshape(weights, {-1, 1}));
  }
  return b.concat(columns, 1);
}

/// Returns the weights of all places for each target.
std::vector<std::vector<double>> LeafWeights::tables() const {
  std::vector<std::vector<double>> result(forest.targetCount,
                                          std::vector<double>(leaves.size(), neutral()));
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    if (leaf < 0) {
      continue;
    }
    for (int64_t entry : forest.entries(leaf)) {
      double &known = result[forest.targets[entry]][i];
      double weight = forest.weights[entry];
      known = isMin()   ? std::min(known, weight)
              : isMax() ? std::max(known, weight)
                        : known + weight;
    }
  }
  return result;
}

Value LeafWeights::joint(Value place, bool isByRow) {
  auto places = static_cast<int64_t>(leaves.size());
  Tensor weights(type, {places}), targets(ElementType::I64, {places});
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    bool hasWeight = leaf >= 0 && !forest.entries(leaf).empty();
    int64_t entry = hasWeight ? *forest.entries(leaf).begin() : 0;
    weights.setDouble(i, hasWeight ? forest.weights[entry] : neutral());
    targets.setInt(i, hasWeight ? forest.targets[entry] : 0);
  }
  ArrayRef<int64_t> walks = cast<RankedTensorType>(place.getType()).getShape();
  Shape shape = isByRow ? Shape{1, walks[0], walks[1]} : Shape{walks[0], 1, -1};
  int64_t count = forest.targetCount;
  Value index = b.iota(count, isByRow ? Shape{count, 1, 1} : Shape{count, 1});
  Value own = b.reshape(b.emit<GatherOp>(b.constant(weights), place, /*axis=*/0), shape);
  Value target = b.reshape(b.emit<GatherOp>(b.constant(targets), place, /*axis=*/0), shape);
  Value isOwn = b.binary(BinaryKind::Equal, target, index);
  Value scores = reduce(b.select(isOwn, own, b.scalarLike(own, neutral())), isByRow ? 1 : 2);
  return isByRow ? b.transpose(scores, {1, 0}) : scores;
}

Value LeafWeights::reduce(Value weights, int64_t axis) {
  ReduceKind kind = isMin() ? ReduceKind::Min : isMax() ? ReduceKind::Max : ReduceKind::Sum;
  return b.emit<ReduceOp>(kind, weights, b.ints({axis}), /*keepDims=*/false,
                          /*noopWithEmptyAxes=*/true);
}

Value LeafWeights::finish(Value scores) {
  if (isMin() || isMax()) {
    Value isEmpty = b.binary(BinaryKind::Equal, scores, b.scalarLike(scores, neutral()));
    return b.select(isEmpty, b.scalarLike(scores, 0), scores);
  }
  bool isMean = forest.aggregate == TreeAggregate::Average;
  auto trees = static_cast<double>(forest.roots.size());
  return isMean ? b.div(scores, b.scalarLike(scores, trees)) : scores;
}

} // namespace convoy::simplify
