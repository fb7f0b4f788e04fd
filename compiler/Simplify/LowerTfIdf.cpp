// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph.tf_idf to comparisons. The lowering counts all n-grams of one size
// together. To match item j of the n-grams, it compares the items with the row
// shifted by j steps:
//
//     isMatch[n, gram, p] = x[n, p] == item0[gram] and x[n, p + step] == item1[gram] ...
//     count[n, gram]      = sum over p and over steps of isMatch

#include "Simplify/LowerLearning.h"
#include <set>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
namespace {

struct Gram {
  SmallVector<int64_t> items;
  int64_t number; // index in the pool
};

/// Returns the counted n-grams by size. Of equal n-grams only the first is counted.
std::vector<std::vector<Gram>> readGrams(TfIdfOp op) {
  ArrayRef<int64_t> pool = op.getPoolInts();
  ArrayRef<int64_t> starts = op.getGramCounts();
  std::vector<std::vector<Gram>> result(starts.size());
  std::set<std::vector<int64_t>> seen;
  int64_t number = 0;
  int64_t poolSize = pool.size();
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t size = i + 1;
    int64_t end = std::min(i + 1 < starts.size() ? starts[i + 1] : poolSize, poolSize);
    bool isCounted = size >= static_cast<int64_t>(op.getMinGram()) &&
                     size <= static_cast<int64_t>(op.getMaxGram());
    for (int64_t at = starts[i]; at >= 0 && at + size <= end; at += size, ++number) {
      ArrayRef<int64_t> items = pool.slice(at, size);
      bool isListed = number < static_cast<int64_t>(op.getGramIndexes().size());
      if (isCounted && isListed && seen.insert(items.vec()).second) {
        result[i].push_back({SmallVector<int64_t>(items), number});
      }
    }
  }
  return result;
}

class GramCounter {
public:
  GramCounter(TypedBuilder &b, Value rows) : b(b), rows(rows) {
    auto type = cast<RankedTensorType>(rows.getType());
    rowCount = type.getDimSize(0);
    length = type.getDimSize(1);
  }

  /// Returns the count of each n-gram of one size over all steps, rows x grams, or
  /// null if the rows are too short.
  Value count(ArrayRef<Gram> grams, int64_t maxStep) {
    Value sum;
    int64_t size = grams.front().items.size();
    // A single item matches in the same way for every step.
    int64_t widest = size == 1 ? 1 : std::min(maxStep, length);
    for (int64_t step = 1; step <= widest && (size - 1) * step < length; ++step) {
      Value matches = countWithStep(grams, step);
      sum = sum ? b.add(sum, matches) : matches;
    }
    return sum;
  }

private:
  Value countWithStep(ArrayRef<Gram> grams, int64_t step) {
    int64_t size = grams.front().items.size();
    int64_t gramCount = grams.size();
    int64_t positions = length - (size - 1) * step;
    Value isMatch;
    for (int64_t j = 0; j < size; ++j) {
      Tensor items(ElementType::I64, {gramCount, 1});
      for (auto [i, gram] : llvm::enumerate(grams)) {
        items.setInt(i, gram.items[j]);
      }
      Value shifted = b.slice(rows, 1, j * step, j * step + positions);
      Value isEqual = b.binary(BinaryKind::Equal, b.reshape(shifted, {rowCount, 1, positions}),
                               b.constant(items));
      isMatch = isMatch ? b.binary(BinaryKind::And, isMatch, isEqual) : isEqual;
    }
    return b.emit<ReduceOp>(ReduceKind::Sum, b.cast(isMatch, ElementType::F32), b.ints({2}),
                            /*keepDims=*/false, /*noopWithEmptyAxes=*/true);
  }

  TypedBuilder &b;
  Value rows;
  int64_t rowCount, length;
};

Value weigh(TypedBuilder &b, TfIdfOp op, Value counts, ArrayRef<int64_t> numbers) {
  if (op.getMode() == "TF") {
    return counts;
  }
  Tensor weights(ElementType::F32, {static_cast<int64_t>(numbers.size())});
  for (auto [i, number] : llvm::enumerate(numbers)) {
    weights.setDouble(i, op.getWeights().empty() ? 1.0 : op.getWeights()[number]);
  }
  Value weight = b.constant(weights);
  if (op.getMode() != "IDF") {
    return b.mul(counts, weight);
  }
  Value isZero = b.binary(BinaryKind::Equal, counts, b.scalarLike(counts, 0));
  return b.select(isZero, b.scalarLike(counts, 0), weight);
}

/// Adds the values of n-grams to their columns; n-grams with the same column are
/// summed.
Value place(TypedBuilder &b, TfIdfOp op, Value values, ArrayRef<int64_t> numbers, int64_t rows,
            int64_t columns) {
  std::vector<SmallVector<int64_t, 1>> sources(columns);
  size_t most = 1;
  for (auto [i, number] : llvm::enumerate(numbers)) {
    auto &list = sources[op.getGramIndexes()[number]];
    list.push_back(static_cast<int64_t>(i));
    most = std::max<size_t>(most, list.size());
  }
  Value zeros = b.constant(Tensor(ElementType::F32, {rows, 1}));
  Value padded = b.concat({values, zeros}, 1);
  Value sum;
  for (size_t round = 0; round < most; ++round) {
    Tensor indices(ElementType::I64, {columns});
    for (int64_t c = 0; c < columns; ++c) {
      bool isThere = round < sources[c].size();
      indices.setInt(c, isThere ? sources[c][round] : static_cast<int64_t>(numbers.size()));
    }
    Value taken = b.emit<GatherOp>(padded, b.constant(indices), /*axis=*/1);
    sum = sum ? b.add(sum, taken) : taken;
  }
  return sum;
}

} // namespace

std::optional<SmallVector<Value>> lowerTfIdf(TypedBuilder &b, TfIdfOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!input || !input.hasStaticShape() || !result || result.getNumElements() == 0 ||
      !isInteger(b.element(op.getInput()))) {
    return std::nullopt;
  }
  int64_t length = input.getShape().back();
  int64_t rowCount = input.getRank() == 1 ? 1 : input.getDimSize(0);
  GramCounter counter(b, b.reshape(b.cast(op.getInput(), ElementType::I64), {rowCount, length}));
  SmallVector<Value> counts;
  SmallVector<int64_t> numbers;
  for (const std::vector<Gram> &grams : readGrams(op)) {
    Value count = grams.empty() ? Value() : counter.count(grams, op.getMaxSkip() + 1);
    if (count) {
      counts.push_back(count);
      llvm::append_range(numbers, llvm::map_range(grams, [](const Gram &g) { return g.number; }));
    }
  }
  if (counts.empty()) {
    return {{b.constant(Tensor(ElementType::F32, result.getShape()))}};
  }
  Value values = weigh(b, op, b.concat(counts, 1), numbers);
  Value placed = place(b, op, values, numbers, rowCount, result.getShape().back());
  return {{b.reshape(placed, result.getShape())}};
}

} // namespace convoy::simplify
