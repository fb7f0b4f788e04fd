// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Elementwise.td. The rules also check element types, so that
// evaluators and kernels see only element types that a kind supports.

#include "Graph/Graph.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::graph {
namespace {

/// The sets of element types that a kind may accept; `describe` names them in
/// errors.
enum class Accepts { Floats, Integers, Numbers, Booleans, Anything };

bool accepts(Accepts what, ElementType type) {
  switch (what) {
  case Accepts::Floats:
    return isFloat(type);
  case Accepts::Integers:
    return isInteger(type);
  case Accepts::Numbers:
    return isFloat(type) || isInteger(type);
  case Accepts::Booleans:
    return type == ElementType::Bool;
  case Accepts::Anything:
    return type != ElementType::Undefined && type != ElementType::Complex64 &&
           type != ElementType::Complex128;
  }
  return false;
}

StringRef describe(Accepts what) {
  switch (what) {
  case Accepts::Floats:
    return "a floating-point type";
  case Accepts::Integers:
    return "an integer type";
  case Accepts::Numbers:
    return "a numeric type";
  case Accepts::Booleans:
    return "bool";
  case Accepts::Anything:
    return "a numeric type, bool or string";
  }
  return "";
}

LogicalResult expect(TypeInference &inference, Value value, Accepts what, StringRef kind) {
  Type element = inference.elementType(value);
  if (accepts(what, fromMlir(element))) {
    return success();
  }
  return inference.error() << kind << " expects " << describe(what) << ", got " << element;
}

Accepts operandsOf(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Not:
    return Accepts::Booleans;
  case UnaryKind::BitNot:
    return Accepts::Integers;
  case UnaryKind::Abs:
  case UnaryKind::Neg:
  case UnaryKind::Sign:
  case UnaryKind::Relu:
    return Accepts::Numbers;
  default:
    return Accepts::Floats;
  }
}

bool isPredicate(UnaryKind kind) {
  return kind == UnaryKind::IsNaN || kind == UnaryKind::IsInf || kind == UnaryKind::IsPosInf ||
         kind == UnaryKind::IsNegInf;
}

Accepts operandsOf(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Xor:
    return Accepts::Booleans;
  case BinaryKind::BitAnd:
  case BinaryKind::BitOr:
  case BinaryKind::BitXor:
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRight:
    return Accepts::Integers;
  case BinaryKind::Equal:
    return Accepts::Anything;
  default:
    return Accepts::Numbers;
  }
}

bool isComparison(BinaryKind kind) {
  return kind >= BinaryKind::Equal && kind <= BinaryKind::GreaterEqual;
}

/// Sets result 0 to the broadcast shape of the operands ([binary.3]).
LogicalResult setBroadcast(TypeInference &inference, ArrayRef<Value> operands, Type element) {
  if (!llvm::all_of(operands, [&](Value value) { return inference.hasRank(value); })) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape shape = inference.shape(operands.front());
  for (Value operand : operands.drop_front()) {
    std::optional<Shape> common = broadcastShapes(shape, inference.shape(operand));
    if (!common) {
      InFlightDiagnostic diag = inference.error() << "has operands whose shapes do not broadcast:";
      for (Value each : operands) {
        diag << " " << inference.type(each);
      }
      diag << "; dimensions aligned from the last must be equal or 1";
      return diag;
    }
    shape = *common;
  }
  inference.set(0, element, shape);
  return success();
}

/// Sets result 0 to the shape of `operand`.
LogicalResult setSameShape(TypeInference &inference, Value operand, Type element) {
  return setBroadcast(inference, {operand}, element);
}

} // namespace

LogicalResult UnaryOp::inferTypes(TypeInference &inference) {
  // [unary.2]
  if (failed(expect(inference, getInput(), operandsOf(getKind()), stringifyUnaryKind(getKind())))) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  if (isPredicate(getKind())) { // [unary.1]
    element = IntegerType::get(getContext(), 1);
  }
  return setSameShape(inference, getInput(), element);
}

LogicalResult ActivationOp::inferTypes(TypeInference &inference) {
  // [activation.1]
  Accepts what = getKind() == ActivationKind::Shrink ? Accepts::Numbers : Accepts::Floats;
  if (failed(expect(inference, getInput(), what, stringifyActivationKind(getKind())))) {
    return failure();
  }
  return setSameShape(inference, getInput(), inference.elementType(getInput()));
}

LogicalResult BinaryOp::inferTypes(TypeInference &inference) {
  StringRef kind = stringifyBinaryKind(getKind());
  Accepts what = operandsOf(getKind()); // [binary.4]
  if (failed(expect(inference, getLhs(), what, kind)) ||
      failed(expect(inference, getRhs(), what, kind))) {
    return failure();
  }
  Type lhs = inference.elementType(getLhs());
  Type rhs = inference.elementType(getRhs());
  if (lhs != rhs && getKind() != BinaryKind::Pow) { // [binary.1]
    return inference.error() << kind << " expects operands of the same element type, got " << lhs
                             << " and " << rhs << "; insert a Cast";
  }
  Type element = isComparison(getKind()) ? IntegerType::get(getContext(), 1) : lhs; // [binary.2]
  return setBroadcast(inference, {getLhs(), getRhs()}, element);
}

LogicalResult SelectOp::inferTypes(TypeInference &inference) {
  // [select.1]
  if (failed(expect(inference, getCondition(), Accepts::Booleans, "condition"))) {
    return failure();
  }
  Type element = inference.elementType(getTrueValue());
  Type other = inference.elementType(getFalseValue());
  if (element != other) {
    return inference.error() << "expects both values to have the same element type, got " << element
                             << " and " << other << "; insert a Cast";
  }
  // [select.2]
  return setBroadcast(inference, {getCondition(), getTrueValue(), getFalseValue()}, element);
}

LogicalResult CastOp::inferTypes(TypeInference &inference) {
  if (!accepts(Accepts::Anything, fromMlir(getTo()))) {
    return emitUnsupported(getOperation())
           << "not supported: cast to " << getTo() << "; expected " << describe(Accepts::Anything);
  }
  if (failed(expect(inference, getInput(), Accepts::Anything, "cast"))) {
    return failure();
  }
  return setSameShape(inference, getInput(), getTo());
}

} // namespace convoy::graph
