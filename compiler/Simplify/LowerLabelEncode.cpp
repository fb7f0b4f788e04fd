// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph.label_encode from numbers to numbers. A short table is a chain of
// comparisons. A long table is a binary search without branches in the sorted keys,
// which a repeated last key fills to a power of two:
//
//     at = 0
//     for step = size / 2, size / 4, ... 1:  at = keys[at + step] <= x ? at + step : at
//     y = keys[at] == x ? values[at] : default
//
// The reference interpreter runs tables with strings.

#include "Simplify/LowerLearning.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <map>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
namespace {

// A comparison and a select per key are faster than a search up to this size.
constexpr size_t kMostCompared = 8;

/// Returns element `from` of a tensor of numbers as a scalar.
Tensor elementOf(const Tensor &tensor, int64_t from) {
  return isFloat(tensor.type()) ? Tensor::scalar(tensor.type(), tensor.asDouble(from))
                                : Tensor::scalar(tensor.type(), tensor.asInt(from));
}

class TableBuilder {
public:
  TableBuilder(TypedBuilder &b, Value input, const Tensor &keys, const Tensor &values,
               Value otherwise)
      : b(b), input(input), keys(keys), values(values), otherwise(otherwise) {
    sortKeys();
  }

  Value build() {
    Value result = order.size() <= kMostCompared ? compare() : search();
    if (!nan) {
      return result;
    }
    return b.select(b.unary(UnaryKind::IsNaN, input), b.constant(elementOf(values, *nan)), result);
  }

private:
  /// Sorts the keys. The last of equal keys counts.
  void sortKeys() {
    if (isFloat(keys.type())) {
      std::map<double, int64_t> last;
      for (int64_t i = 0; i < keys.size(); ++i) {
        double key = keys.asDouble(i);
        (std::isnan(key) ? nan.emplace(i) : last[key] = i);
      }
      for (auto [key, i] : last) {
        order.push_back(i);
      }
      return;
    }
    std::map<int64_t, int64_t> last;
    for (int64_t i = 0; i < keys.size(); ++i) {
      last[keys.asInt(i)] = i;
    }
    for (auto [key, i] : last) {
      order.push_back(i);
    }
  }

  Value compare() {
    Value shape = b.emit<ShapeOp>(input, int64_t(0), IntegerAttr());
    Value result = b.emit<ExpandOp>(b.reshape(otherwise, {}), shape);
    for (int64_t i : order) {
      Value isKey = b.binary(BinaryKind::Equal, input, b.constant(elementOf(keys, i)));
      result = b.select(isKey, b.constant(elementOf(values, i)), result);
    }
    return result;
  }

  /// Returns the table in the order of the keys.
  Value sorted(const Tensor &table, int64_t size) {
    Tensor result(table.type(), {size});
    for (int64_t i = 0; i < size; ++i) {
      int64_t from = order[std::min<size_t>(i, order.size() - 1)];
      if (isFloat(table.type())) {
        result.setDouble(i, table.asDouble(from));
      } else {
        result.setInt(i, table.asInt(from));
      }
    }
    return b.constant(result);
  }

  Value search() {
    int64_t size = llvm::PowerOf2Ceil(order.size());
    Value sortedKeys = sorted(keys, size);
    auto number = [&](int64_t value) {
      return b.constant(Tensor::scalar(ElementType::I32, value));
    };
    Value at;
    for (int64_t step = size / 2; step > 0; step /= 2) {
      Value next = at ? b.add(at, number(step)) : number(step);
      Value key = b.emit<GatherOp>(sortedKeys, next, /*axis=*/0);
      Value isBelow = b.binary(BinaryKind::LessEqual, key, input);
      at = b.select(isBelow, next, at ? at : number(0));
    }
    Value isKey = b.binary(BinaryKind::Equal, b.emit<GatherOp>(sortedKeys, at, /*axis=*/0), input);
    Value value = b.emit<GatherOp>(sorted(values, size), at, /*axis=*/0);
    return b.select(isKey, value, b.reshape(otherwise, {}));
  }

  TypedBuilder &b;
  Value input;
  const Tensor &keys, &values;
  Value otherwise;
  SmallVector<int64_t> order; // positions of the distinct keys, by key
  std::optional<int64_t> nan; // the position of a NaN among the keys
};

} // namespace

std::optional<SmallVector<Value>> lowerLabelEncode(TypedBuilder &b, LabelEncodeOp op) {
  std::optional<Tensor> keys = constantValue(op.getKeys());
  std::optional<Tensor> values = constantValue(op.getValues());
  if (!keys || !values || keys->size() != values->size() || keys->isEmpty()) {
    return std::nullopt;
  }
  auto isNumber = [](ElementType type) { return isFloat(type) || isInteger(type); };
  if (!isNumber(keys->type()) || !isNumber(values->type())) {
    return std::nullopt;
  }
  return {{TableBuilder(b, op.getInput(), *keys, *values, op.getDefaultValue()).build()}};
}

} // namespace convoy::simplify
