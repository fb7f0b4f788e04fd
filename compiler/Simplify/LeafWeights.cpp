// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements LeafWeights.h.

#include "Simplify/LeafWeights.h"
#include <limits>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;

double LeafWeights::neutral() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return isMin() ? kInfinity : isMax() ? -kInfinity : 0;
}

double LeafWeights::of(int64_t leaf, int64_t target) const {
  double result = neutral();
  if (leaf < 0) {
    return result;
  }
  for (int64_t entry : forest.entries(leaf)) {
    double weight = forest.weights[entry];
    if (forest.targets[entry] == target) {
      result = isMin()   ? std::min(result, weight)
               : isMax() ? std::max(result, weight)
                         : result + weight;
    }
  }
  return result;
}

Value LeafWeights::reduce(Value weights, int64_t axis) {
  ReduceKind kind = isMin() ? ReduceKind::Min : isMax() ? ReduceKind::Max : ReduceKind::Sum;
  return b.emit<ReduceOp>(kind, weights, b.ints({axis}), /*keepDims=*/false,
                          /*noopWithEmptyAxes=*/true);
}

Value LeafWeights::finish(ArrayRef<Value> targets) {
  SmallVector<Value> columns;
  for (Value target : targets) {
    columns.push_back(b.reshape(target, {-1, 1}));
  }
  Value scores = b.concat(columns, 1);
  if (isMin() || isMax()) {
    Value isEmpty = b.binary(BinaryKind::Equal, scores, b.scalarLike(scores, neutral()));
    return b.select(isEmpty, b.scalarLike(scores, 0), scores);
  }
  bool isMean = forest.aggregate == TreeAggregate::Average;
  auto trees = static_cast<double>(forest.roots.size());
  return isMean ? b.div(scores, b.scalarLike(scores, trees)) : scores;
}

} // namespace convoy::simplify
