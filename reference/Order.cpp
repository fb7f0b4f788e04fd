// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops that order elements. NaN is larger than every number and equal
// to itself, so that sorting is well defined.

#include "Graph/Extent.h"
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

LogicalResult evaluateSortSlices(graph::SortSlicesOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t count = input.dim(1);
  int64_t length = input.dim(2);
  int sign = op.getDescending() ? -1 : 1;
  std::vector<int64_t> order(count);
  for (int64_t row = 0; row < input.dim(0); ++row) {
    auto compare = [&](int64_t a, int64_t b) {
      for (int64_t i = 0; i < length; ++i) {
        int64_t base = row * count * length + i;
        if (int difference = compareElements(input, base + a * length, base + b * length)) {
          return difference * sign < 0;
        }
      }
      return a < b; // equal slices keep their order
    };
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, compare);
    for (int64_t place = 0; place < count; ++place) {
      result.setInt(row * count + place, order[place]);
      result.setInt((input.dim(0) + row) * count + order[place], place);
    }
  }
  return success();
}

LogicalResult evaluateGroupSlices(graph::GroupSlicesOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  Slices slices(input, 0);
  std::vector<std::vector<int64_t>> groups = groupSlices(slices, op.getSorted());
  for (auto [number, group] : llvm::enumerate(groups)) {
    for (int64_t slice : group) {
      result.setInt(slice, group.front());
      result.setInt(slices.count + slice, static_cast<int64_t>(number));
    }
  }
  return success();
}

LogicalResult evaluateBoundedUnique(graph::BoundedUniqueOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &groups = e.input(op.getGroups());
  Tensor &result = e.output(0);
  Tensor &indices = e.output(1);
  Tensor &counts = e.output(2);
  Tensor &extents = e.output(3);
  if (!e.isWhole()) {
    return failure();
  }
  Slices slices(input, op.getAxis());
  int64_t found = 0;
  for (int64_t slice = 0; slice < slices.count; ++slice) {
    int64_t group = groups.asInt(slices.count + slice);
    counts.setInt(group, counts.asInt(group) + 1);
    if (groups.asInt(slice) == slice) {
      indices.setInt(group, slice);
      ++found;
    }
  }
  extents.setInt(0, found);
  ElementCopier copier(result, input);
  for (int64_t i = 0; i < slices.outer * found && slices.inner > 0; ++i) {
    int64_t slice = i / found * slices.count + indices.asInt(i % found);
    copier.copy(i * slices.inner, slice * slices.inner, slices.inner);
  }
  return success();
}

} // namespace

void addOrderEvaluators(EvaluatorTable &table) {
  table.add<graph::TopKOp, evaluateTopK>();
  table.add<graph::UniqueOp, evaluateUnique>();
  table.add<graph::SortSlicesOp, evaluateSortSlices>();
  table.add<graph::GroupSlicesOp, evaluateGroupSlices>();
  table.add<graph::BoundedUniqueOp, evaluateBoundedUnique>();
}

} // namespace convoy::reference
