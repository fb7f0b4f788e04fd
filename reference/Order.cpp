// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops that order elements. NaN is larger than every number and equal
// to itself, so that sorting is well defined.

#include "reference/ElementCopy.h"
#include "reference/Evaluation.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Returns a negative value, zero or a positive value if a is less than, equal
/// to or greater than b.
template <typename T>
int compareNumbers(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
    }
  }
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

int compareElements(const Tensor &tensor, int64_t i, int64_t j) {
  if (tensor.type() == ElementType::String) {
    return tensor.strings()[i].compare(tensor.strings()[j]);
  }
  return dispatch(tensor.type(), [&](auto zero) {
    using T = decltype(zero);
    // Narrow floats are compared as float.
    using Number = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
    return compareNumbers<Number>(tensor.data<T>()[i], tensor.data<T>()[j]);
  });
}

LogicalResult evaluateTopK(graph::TopKOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &values = e.output(0);
  Tensor &indices = e.output(1);
  if (values.isEmpty() || indices.isEmpty()) {
    return success();
  }
  int64_t axis = op.getAxis();
  int64_t dim = input.dim(axis);
  int64_t k = values.dim(axis);
  int64_t inner = elementCount(input.shape().drop_front(axis + 1)).value_or(0);
  int sign = op.getLargest() ? -1 : 1;
  ElementCopier copier(values, input);
  std::vector<int64_t> order(dim);
  for (int64_t line = 0; line < input.size() / dim; ++line) {
    int64_t base = line / inner * dim * inner + line % inner;
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](int64_t a, int64_t b) {
      int difference = compareElements(input, base + a * inner, base + b * inner) * sign;
      return difference < 0 || (difference == 0 && a < b);
    });
    for (int64_t i = 0; i < k; ++i) {
      int64_t to = (line / inner * k + i) * inner + line % inner;
      copier.copy(to, base + order[i] * inner);
      indices.setInt(to, order[i]);
    }
  }
  return success();
}

/// The slices of a tensor along one dimension, or its elements as a vector.
struct Slices {
  Slices(const Tensor &tensor, std::optional<int64_t> axis)
      : tensor(tensor), count(axis ? tensor.dim(*axis) : tensor.size()),
        outer(axis ? elementCount(tensor.shape().take_front(*axis)).value_or(0) : 1),
        inner(axis ? elementCount(tensor.shape().drop_front(*axis + 1)).value_or(0) : 1) {}

  int compare(int64_t a, int64_t b) const {
    for (int64_t i = 0; i < outer; ++i) {
      for (int64_t j = 0; j < inner; ++j) {
        int64_t base = i * count * inner + j;
        if (int order = compareElements(tensor, base + a * inner, base + b * inner)) {
          return order;
        }
      }
    }
    return 0;
  }

  const Tensor &tensor;
  int64_t count, outer, inner;
};

/// Groups equal slices; each group is in order of position.
std::vector<std::vector<int64_t>> groupSlices(const Slices &slices, bool isSorted) {
  std::vector<int64_t> order(slices.count);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    int difference = slices.compare(a, b);
    return difference < 0 || (difference == 0 && a < b);
  });
  std::vector<std::vector<int64_t>> groups;
  for (int64_t slice : order) {
    if (groups.empty() || slices.compare(groups.back().front(), slice) != 0) {
      groups.emplace_back();
    }
    groups.back().push_back(slice);
  }
  if (!isSorted) {
    llvm::sort(groups, [](const auto &a, const auto &b) { return a.front() < b.front(); });
  }
  return groups;
}

LogicalResult evaluateUnique(graph::UniqueOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  std::optional<int64_t> axis = op.getAxis();
  Tensor &inverse = e.output(2);
  if (!e.isWhole()) {
    return failure(); // Too large: an error was emitted.
  }
  Slices slices(input, axis);
  std::vector<std::vector<int64_t>> groups = groupSlices(slices, op.getSorted());
  int64_t count = static_cast<int64_t>(groups.size());
  Shape shape = axis ? Shape(input.shape().begin(), input.shape().end()) : Shape{count};
  shape[axis.value_or(0)] = count;
  Tensor &result = e.allocate(0, shape);
  Tensor &indices = e.allocate(1, {count});
  Tensor &counts = e.allocate(3, {count});
  if (!e.isWhole()) {
    return failure(); // Too large: an error was emitted.
  }
  std::vector<int64_t> selected;
  for (int64_t group = 0; group < count; ++group) {
    selected.push_back(groups[group].front() * slices.inner);
    indices.setInt(group, groups[group].front());
    counts.setInt(group, static_cast<int64_t>(groups[group].size()));
    for (int64_t slice : groups[group]) {
      inverse.setInt(slice, group);
    }
  }
  copyByOffsets(result, input,
                {DimOffsets(slices.outer, 0, slices.count * slices.inner), selected,
                 DimOffsets(slices.inner, 0, 1)});
  return success();
}

} // namespace

void addOrderEvaluators(EvaluatorTable &table) {
  table.add<graph::TopKOp, evaluateTopK>();
  table.add<graph::UniqueOp, evaluateUnique>();
}

} // namespace convoy::reference
