// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers element-wise ops on quantized tensors: sums and products of two tensors,
// rescaling, concats of tensors with different scales, and tables for any function
// of one 8-bit element.

#include "Quantize/LowerLayers.h"
#include "reference/Reference.h"
#include <cmath>

using namespace mlir;

namespace convoy::quantize {
namespace {

/// Returns whether the bounds cover every value of the type.
bool isUnbounded(const IntegerBuilder &b) {
  return b.low() == lowestOf(b.type()) && b.high() == highestOf(b.type());
}

/// Returns x in the scale and type of the result.
Value rescaled(const Quantized &x, IntegerBuilder &b, std::string &why) {
  ElementType type = fromMlir(cast<TensorType>(x.value.getType()).getElementType());
  if (x.scale == b.scale() && type == b.type() && isUnbounded(b)) {
    return x.value;
  }
  return b.requantize(x.value, {x.scale.scale}, 0, x.scale.zeroPoint, why);
}

} // namespace

Value lowerBinary(Value value, IntegerBuilder &b, std::string &why) {
  auto op = value.getDefiningOp<graph::BinaryOp>();
  std::optional<Quantized> lhs = op ? quantizedValue(op.getLhs()) : std::nullopt;
  std::optional<Quantized> rhs = op ? quantizedValue(op.getRhs()) : std::nullopt;
  if (!lhs || !rhs || lhs->value == rhs->value) {
    return {}; // an op on one tensor is lowered to a table
  }
  switch (op.getKind()) {
  case graph::BinaryKind::Add:
    return b.add(*lhs, *rhs, 1, why);
  case graph::BinaryKind::Sub:
    return b.add(*lhs, *rhs, -1, why);
  case graph::BinaryKind::Mul: {
    if (reachOf(*lhs) * reachOf(*rhs) > INT32_MAX) {
      why = "the products exceed 32 bits; 16-bit factors require type int16 and zero point 0";
      return {};
    }
    Value product = b.graph().emit<graph::IntegerMulOp>(lhs->value, rhs->value,
                                                        lhs->scale.zeroPoint, rhs->scale.zeroPoint);
    return b.requantize(product, {lhs->scale.scale * rhs->scale.scale}, 0, 0, why);
  }
  default:
    return {};
  }
}

Value lowerRescale(Value value, IntegerBuilder &b, std::string &why) {
  std::optional<Quantized> x = quantizedValue(value);
  return x ? rescaled(*x, b, why) : Value();
}

Value lowerConcat(Value value, IntegerBuilder &b, std::string &why) {
  auto op = value.getDefiningOp<graph::ConcatOp>();
  if (!op) {
    return {};
  }
  SmallVector<Value> parts;
  for (Value input : op.getInputs()) {
    std::optional<Quantized> x = quantizedValue(input);
    if (!x) {
      why = "one of the inputs is not quantized with one constant scale";
      return {};
    }
    parts.push_back(rescaled(*x, b, why));
    if (!parts.back()) {
      return {};
    }
  }
  return b.graph().concat(parts, op.getAxis());
}

namespace {

/// Evaluates ops for all 256 values of the quantized tensor that they depend on.
class TableMaker {
public:
  /// Returns `value` for each of the 256 values, in order, or nullopt if it depends
  /// on other data.
  std::optional<Tensor> evaluate(Value value) {
    auto known = memo.find(value);
    if (known != memo.end()) {
      return known->second;
    }
    std::optional<Tensor> result = compute(value);
    if (result) {
      memo[value] = *result;
    }
    return result;
  }

  const std::optional<Quantized> &source() const { return input; }
  /// Returns whether a tensor of more than 8 bits prevented the table.
  bool isTooWide() const { return hasWideSource; }

private:
  std::optional<Tensor> compute(Value value) {
    if (std::optional<Quantized> x = quantizedValue(value)) {
      return sourceValues(*x);
    }
    if (std::optional<Tensor> constant = graph::constantValue(value)) {
      return constant->size() == 1 ? std::optional<Tensor>(constant->reshaped({})) : std::nullopt;
    }
    Operation *op = value.getDefiningOp();
    bool isTabular = op && graph::hasTableForm(op);
    constexpr size_t kMostOps = 32; // longer chains are not activation functions
    if (!isTabular || memo.size() > kMostOps) {
      return std::nullopt;
    }
    std::vector<reference::Datum> operands;
    for (Value operand : op->getOperands()) {
      std::optional<Tensor> values = evaluate(operand);
      if (!values) {
        return std::nullopt;
      }
      operands.emplace_back(*values);
    }
    FailureOr<std::vector<reference::Datum>> results = reference::evaluate(op, operands);
    return succeeded(results) ? std::optional<Tensor>(results->front().tensor) : std::nullopt;
  }

  std::optional<Tensor> sourceValues(const Quantized &x) {
    hasWideSource |= bitsOf(x.value) != 8;
    if (hasWideSource || (input && input->value != x.value)) {
      return std::nullopt;
    }
    input = x;
    ElementType type = fromMlir(cast<TensorType>(x.value.getType()).getElementType());
    Tensor values(ElementType::F32, {256});
    for (int64_t i = 0; i < 256; ++i) {
      int64_t q = lowestOf(type) + i;
      values.setDouble(i, static_cast<double>(q - x.scale.zeroPoint) * x.scale.scale);
    }
    return values;
  }

  std::optional<Quantized> input;
  bool hasWideSource = false;
  llvm::DenseMap<Value, Tensor> memo;
};

} // namespace

Value lowerTable(Value value, IntegerBuilder &b, std::string &why) {
  TableMaker maker;
  std::optional<Tensor> reals = maker.evaluate(value);
  if (maker.isTooWide() && why.empty()) {
    why = "a table requires 8-bit elements, and the input has 16 bits";
  }
  if (!reals || !maker.source() || reals->size() != 256 ||
      cast<TensorType>(maker.source()->value.getType()).getShape() !=
          cast<TensorType>(value.getType()).getShape()) {
    return {};
  }
  Tensor table(b.type(), {256});
  for (int64_t i = 0; i < 256; ++i) {
    // Computes like quantize_linear: divides in f32 and rounds half to even.
    float quotient = static_cast<float>(reals->asDouble(i)) / static_cast<float>(b.scale().scale);
    double rounded = std::nearbyint(quotient) + static_cast<double>(b.scale().zeroPoint);
    auto low = static_cast<double>(b.low());
    auto high = static_cast<double>(b.high());
    table.setInt(i, std::isnan(rounded) ? 0 : static_cast<int64_t>(std::clamp(rounded, low, high)));
  }
  return b.graph().emit<graph::LookupOp>(maker.source()->value, b.graph().constant(table));
}

} // namespace convoy::quantize
