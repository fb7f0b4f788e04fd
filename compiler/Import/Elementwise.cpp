// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports element-wise ops: arithmetic, comparison, logic, bitwise ops, casts
// and selections. Activation.cpp imports activations.

#include "Import/OpTable.h"
#include <limits>

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::UnaryKind;

namespace convoy::import {
namespace {

template <UnaryKind kKind>
LogicalResult importUnary(NodeContext &n) {
  return n.yield(n.unary(kKind, n.input(0)));
}

//===-- Two operands -----------------------------------------------------------------------===//

/// Returns the second operand under the broadcasting rule before opset 7: it
/// broadcasts only if `broadcast` is set, and its dimensions align with the
/// dimensions of the first operand from `axis` on. Appending dimensions of size
/// 1 gives the same result under the current rule.
FailureOr<Value> legacyRhs(NodeContext &n, Value lhs, Value rhs) {
  if (n.opset() >= 7 || n.intAttr("broadcast", 0) == 0 || !n.hasAttr("axis")) {
    return rhs;
  }
  FailureOr<int64_t> lhsRank = n.rank(lhs);
  FailureOr<Shape> shape = n.shape(rhs);
  if (failed(lhsRank) || failed(shape)) {
    return failure();
  }
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", 0), *lhsRank);
  if (failed(axis)) {
    return failure();
  }
  int64_t trailing = *lhsRank - *axis - static_cast<int64_t>(shape->size());
  if (trailing < 0 || llvm::is_contained(*shape, graph::kDynamic)) {
    return FailureOr<Value>(n.error() << "cannot align " << rhs.getType() << " with axis " << *axis
                                      << " of " << lhs.getType());
  }
  shape->append(trailing, 1);
  return n.reshape(rhs, *shape);
}

LogicalResult importBinaryAs(NodeContext &n, BinaryKind kind) {
  FailureOr<Value> rhs = legacyRhs(n, n.input(0), n.input(1));
  if (failed(rhs)) {
    return failure();
  }
  return n.yield(n.binary(kind, n.input(0), *rhs));
}

template <BinaryKind kKind>
LogicalResult importBinary(NodeContext &n) {
  return importBinaryAs(n, kKind);
}

LogicalResult importMod(NodeContext &n) {
  return importBinaryAs(n, n.intAttr("fmod", 0) ? BinaryKind::FMod : BinaryKind::Mod);
}

LogicalResult importBitShift(NodeContext &n) {
  std::string direction = n.stringAttr("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    return n.error() << "has direction '" << direction << "', expected 'LEFT' or 'RIGHT'";
  }
  return importBinaryAs(n, direction == "LEFT" ? BinaryKind::ShiftLeft : BinaryKind::ShiftRight);
}

//===-- Any number of operands -------------------------------------------------------------===//

Value combineAll(NodeContext &n, BinaryKind kind) {
  Value result = n.input(0);
  for (Value next : n.allInputs().drop_front()) {
    result = n.binary(kind, result, next);
  }
  return result;
}

template <BinaryKind kKind>
LogicalResult importVariadic(NodeContext &n) {
  if (failed(n.require(0, "data_0"))) {
    return failure();
  }
  return n.yield(combineAll(n, kKind));
}

LogicalResult importMean(NodeContext &n) {
  if (failed(n.require(0, "data_0"))) {
    return failure();
  }
  Value sum = combineAll(n, BinaryKind::Add);
  return n.yield(n.div(sum, n.scalarLike(sum, n.numInputs())));
}

//===-- Choices ----------------------------------------------------------------------------===//

LogicalResult importWhere(NodeContext &n) {
  return n.yield(n.select(n.input(0), n.input(1), n.input(2)));
}

/// Returns a bound of Clip: an attribute before opset 11, an input since opset
/// 11, or null. Accepts a vector of one element where ONNX requires a scalar.
/// The attributes of opsets 6 to 10 have the largest finite number as default,
/// which an infinity exceeds.
Value clipBound(NodeContext &n, Value x, unsigned index, StringRef name) {
  if (n.opset() < 11) {
    float limit = std::numeric_limits<float>::max();
    float bound = n.floatAttr(name, index == 1 ? -limit : limit);
    bool isOpen = !n.hasAttr(name) && (n.opset() < 6 || n.element(x) == ElementType::F16);
    return isOpen ? Value() : n.scalarLike(x, bound);
  }
  Value bound = n.input(index);
  bool isVector = bound && n.hasRank(bound) && *n.rank(bound) > 0;
  return isVector ? n.reshape(bound, {}) : bound;
}

LogicalResult importClip(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  Value result = n.input(0);
  if (Value low = clipBound(n, n.input(0), 1, "min")) {
    result = n.binary(BinaryKind::Max, result, low);
  }
  // The upper bound is applied last, because it takes precedence if the lower
  // bound exceeds it.
  if (Value high = clipBound(n, n.input(0), 2, "max")) {
    result = n.binary(BinaryKind::Min, result, high);
  }
  return n.yield(result);
}

LogicalResult importIsInf(NodeContext &n) {
  bool detectsNegative = n.intAttr("detect_negative", 1) != 0;
  bool detectsPositive = n.intAttr("detect_positive", 1) != 0;
  if (detectsNegative && detectsPositive) {
    return n.yield(n.unary(UnaryKind::IsInf, n.input(0)));
  }
  if (!detectsNegative && !detectsPositive) {
    Value found = n.unary(UnaryKind::IsInf, n.input(0));
    return n.yield(n.binary(BinaryKind::And, found, n.scalar(ElementType::Bool, 0)));
  }
  return n.yield(n.unary(detectsNegative ? UnaryKind::IsNegInf : UnaryKind::IsPosInf, n.input(0)));
}

//===-- Types ------------------------------------------------------------------------------===//

/// Returns the target type of a Cast. Before opset 6 `to` is the name of the
/// type.
FailureOr<ElementType> castTarget(NodeContext &n) {
  if (n.opset() >= 6) {
    return n.elementTypeAttr("to", ElementType::Undefined);
  }
  std::string wanted = n.stringAttr("to", "");
  for (int32_t i = 1; elementTypeFromOnnx(i); ++i) {
    if (name(static_cast<ElementType>(i)).equals_insensitive(wanted)) {
      return static_cast<ElementType>(i);
    }
  }
  return FailureOr<ElementType>(n.error() << "has attribute 'to' = '" << wanted
                                          << "', which is not an ONNX data type");
}

LogicalResult importCastTo(NodeContext &n, ElementType to) {
  std::optional<graph::RoundMode> mode =
      graph::symbolizeRoundMode(n.stringAttr("round_mode", "up"));
  if (!mode) {
    return n.error() << "has round_mode '" << n.stringAttr("round_mode", "")
                     << "', expected 'up', 'down' or 'nearest'";
  }
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  if (n.element(n.input(0)) == to) {
    return n.yield(n.input(0));
  }
  bool saturates = n.intAttr("saturate", 1) != 0;
  return n.yield(
      n.emit<graph::CastOp>(n.input(0), toMlir(to, n.builder.getContext()), saturates, *mode));
}

LogicalResult importCast(NodeContext &n) {
  FailureOr<ElementType> to = castTarget(n);
  return failed(to) ? failure() : importCastTo(n, *to);
}

LogicalResult importCastLike(NodeContext &n) {
  if (failed(n.require(1, "target_type"))) {
    return failure();
  }
  return importCastTo(n, n.element(n.input(1)));
}

} // namespace

llvm::ArrayRef<OpRow> elementwiseRows() {
  static const OpRow kRows[] = {
      {"Abs", importUnary<UnaryKind::Abs>},
      {"Acos", importUnary<UnaryKind::Acos>},
      {"Acosh", importUnary<UnaryKind::Acosh>},
      {"Add", importBinary<BinaryKind::Add>},
      {"And", importBinary<BinaryKind::And>},
      {"Asin", importUnary<UnaryKind::Asin>},
      {"Asinh", importUnary<UnaryKind::Asinh>},
      {"Atan", importUnary<UnaryKind::Atan>},
      {"Atanh", importUnary<UnaryKind::Atanh>},
      {"BitShift", importBitShift},
      {"BitwiseAnd", importBinary<BinaryKind::BitAnd>},
      {"BitwiseNot", importUnary<UnaryKind::BitNot>},
      {"BitwiseOr", importBinary<BinaryKind::BitOr>},
      {"BitwiseXor", importBinary<BinaryKind::BitXor>},
      {"Cast", importCast, "no complex types; strings run on the reference interpreter only"},
      {"CastLike", importCastLike,
       "no complex types; strings run on the reference interpreter only"},
      {"Ceil", importUnary<UnaryKind::Ceil>},
      {"Clip", importClip},
      {"Cos", importUnary<UnaryKind::Cos>},
      {"Cosh", importUnary<UnaryKind::Cosh>},
      {"Div", importBinary<BinaryKind::Div>},
      {"Equal", importBinary<BinaryKind::Equal>, "strings run on the reference interpreter only"},
      {"Erf", importUnary<UnaryKind::Erf>},
      {"Exp", importUnary<UnaryKind::Exp>},
      {"Floor", importUnary<UnaryKind::Floor>},
      {"Greater", importBinary<BinaryKind::Greater>},
      {"GreaterOrEqual", importBinary<BinaryKind::GreaterEqual>},
      {"IsInf", importIsInf},
      {"IsNaN", importUnary<UnaryKind::IsNaN>},
      {"Less", importBinary<BinaryKind::Less>},
      {"LessOrEqual", importBinary<BinaryKind::LessEqual>},
      {"Log", importUnary<UnaryKind::Log>},
      {"Max", importVariadic<BinaryKind::Max>},
      {"Mean", importMean},
      {"Min", importVariadic<BinaryKind::Min>},
      {"Mod", importMod},
      {"Mul", importBinary<BinaryKind::Mul>},
      {"Neg", importUnary<UnaryKind::Neg>},
      {"Not", importUnary<UnaryKind::Not>},
      {"Or", importBinary<BinaryKind::Or>},
      {"Pow", importBinary<BinaryKind::Pow>},
      {"Reciprocal", importUnary<UnaryKind::Reciprocal>},
      {"Round", importUnary<UnaryKind::Round>},
      {"Sign", importUnary<UnaryKind::Sign>},
      {"Sin", importUnary<UnaryKind::Sin>},
      {"Sinh", importUnary<UnaryKind::Sinh>},
      {"Sqrt", importUnary<UnaryKind::Sqrt>},
      {"Sub", importBinary<BinaryKind::Sub>},
      {"Sum", importVariadic<BinaryKind::Add>},
      {"Tan", importUnary<UnaryKind::Tan>},
      {"Where", importWhere, "strings run on the reference interpreter only"},
      {"Xor", importBinary<BinaryKind::Xor>},
  };
  return kRows;
}

} // namespace convoy::import
