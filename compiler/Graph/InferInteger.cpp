// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Integer.td. Ops that share a rule with a floating-point op are
// in InferWindow.cpp (convolution, pool) and InferTransform.cpp (matrix
// product).

#include "Graph/InferInteger.h"
#include "Graph/Graph.h"
#include "Graph/RuleChecks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult expectIntegers(TypeInference &inference, Value value, ArrayRef<int64_t> widths,
                             StringRef operand) {
  ElementType type = fromMlir(inference.elementType(value));
  if (isInteger(type) && llvm::is_contained(widths, bitWidth(type))) {
    return success();
  }
  InFlightDiagnostic diag = inference.error() << "expects " << operand << " of an integer type of ";
  llvm::interleave(widths, diag, " or ");
  return diag << " bits, got " << inference.elementType(value);
}

LogicalResult expectValueOf(TypeInference &inference, Type element, int64_t value,
                            StringRef attribute) {
  ElementType type = fromMlir(element);
  auto bits = static_cast<unsigned>(bitWidth(type));
  bool fits = isSignedInteger(type)
                  ? llvm::isIntN(bits, value)
                  : value >= 0 && llvm::isUIntN(bits, static_cast<uint64_t>(value));
  if (fits) {
    return success();
  }
  return inference.error() << "expects " << attribute << " to be representable in " << element
                           << ", got " << value;
}

LogicalResult expectZeroPoint(TypeInference &inference, Value value, int64_t zeroPoint,
                              StringRef attribute) {
  return expectValueOf(inference, inference.elementType(value), zeroPoint, attribute);
}

LogicalResult expectBias(TypeInference &inference, Value bias) {
  return bias ? expectIntegers(inference, bias, {32, 64}, "a bias") : success();
}

LogicalResult expectChannelVectors(TypeInference &inference, ValueRange vectors, int64_t channels,
                                   int64_t zeroPoint) {
  if (vectors.size() > 2) {
    return inference.error() << "expects at most a bias and zero points per channel, got "
                             << vectors.size() << " vectors";
  }
  if (vectors.size() < 2) {
    return success();
  }
  if (failed(expectIntegers(inference, vectors[1], {32}, "zero points per channel")) ||
      failed(expectVector(inference, vectors[1], channels, "the zero points per channel"))) {
    return failure();
  }
  if (zeroPoint != 0) {
    return inference.error() << "expects zero point 0 of the weights beside zero points per "
                                "channel, got "
                             << zeroPoint;
  }
  return success();
}

Type sumTypeOf(TypeInference &inference, Operation *op, Value bias) {
  bool isWide = bias && bitWidth(fromMlir(inference.elementType(bias))) == 64;
  return IntegerType::get(op->getContext(), isWide ? 64 : 32);
}

namespace {

constexpr int64_t kMaxShift = 62;

/// Checks zero point and bounds of a requantized result ([requantize.4]).
LogicalResult checkRange(TypeInference &inference, Type to, int64_t zeroPoint, int64_t low,
                         int64_t high) {
  ElementType type = fromMlir(to);
  if (!isInteger(type) || !llvm::is_contained({8, 16, 32}, bitWidth(type))) {
    return inference.error() << "expects an integer result type of 8, 16 or 32 bits, got " << to;
  }
  if (failed(expectValueOf(inference, to, zeroPoint, "zeroPoint")) ||
      failed(expectValueOf(inference, to, low, "low")) ||
      failed(expectValueOf(inference, to, high, "high"))) {
    return failure();
  }
  if (low > high) {
    return inference.error() << "expects low <= high, got " << low << " and " << high;
  }
  return success();
}

LogicalResult checkShift(TypeInference &inference, int64_t shift) {
  if (shift >= 1 && shift <= kMaxShift) {
    return success();
  }
  return inference.error() << "expects a shift in [1, " << kMaxShift << "], got " << shift;
}

/// Sets result 0 to the broadcast shape of two operands ([binary.3]).
LogicalResult setBroadcast(TypeInference &inference, Value lhs, Value rhs, Type element) {
  if (!inference.hasRank(lhs) || !inference.hasRank(rhs)) {
    inference.setUnranked(0, element);
    return success();
  }
  std::optional<Shape> shape = broadcastShapes(inference.shape(lhs), inference.shape(rhs));
  if (!shape) {
    return inference.error() << "has operands whose shapes do not broadcast: "
                             << inference.type(lhs) << " " << inference.type(rhs)
                             << "; dimensions aligned from the last must be equal or 1";
  }
  inference.set(0, element, *shape);
  return success();
}

void setLike(TypeInference &inference, Value value, Type element) {
  if (inference.hasRank(value)) {
    inference.set(0, element, inference.shape(value));
  } else {
    inference.setUnranked(0, element);
  }
}

/// Checks [requantize.2] and [requantize.3].
LogicalResult checkScaling(TypeInference &inference, RequantizeOp op) {
  for (Value value : {op.getMultiplier(), op.getShift()}) {
    if (failed(expectIntegers(inference, value, {32}, "multiplier and shift"))) {
      return failure();
    }
  }
  Shape multiplier = inference.shape(op.getMultiplier());
  if (multiplier != inference.shape(op.getShift()) || multiplier.size() > 1) {
    return inference.error()
           << "expects multiplier and shift to be scalars or vectors of equal length, got "
           << inference.type(op.getMultiplier()) << " and " << inference.type(op.getShift());
  }
  if (multiplier.size() == 1 && inference.hasRank(op.getInput())) {
    Shape input = inference.shape(op.getInput());
    auto axis = static_cast<int64_t>(op.getAxis());
    if (axis < 0 || axis >= static_cast<int64_t>(input.size()) ||
        !mayEqual(input[axis], multiplier[0])) {
      return inference.error() << "expects one multiplier per index of axis " << axis << " of "
                               << inference.type(op.getInput()) << ", got " << multiplier[0];
    }
  }
  for (int64_t value : inference.ints(op.getMultiplier()).value_or(Shape())) {
    if (value < 0) {
      return inference.error() << "expects non-negative multipliers, got " << value;
    }
  }
  for (int64_t value : inference.ints(op.getShift()).value_or(Shape())) {
    if (failed(checkShift(inference, value))) {
      return failure();
    }
  }
  return success();
}

} // namespace

LogicalResult RequantizeOp::inferTypes(TypeInference &inference) {
  if (failed(expectIntegers(inference, getInput(), {8, 16, 32, 64}, "an input")) ||
      failed(checkScaling(inference, *this)) ||
      failed(checkRange(inference, getTo(), getZeroPoint(), getLow(), getHigh()))) {
    return failure();
  }
  int64_t bits = bitWidth(fromMlir(inference.elementType(getInput())));
  if (bits >= 32 && getInputZeroPoint() != 0) { // [requantize.1]
    return inference.error() << "expects inputZeroPoint 0 for a " << bits << "-bit input, got "
                             << static_cast<int64_t>(getInputZeroPoint());
  }
  if (failed(expectZeroPoint(inference, getInput(), getInputZeroPoint(), "inputZeroPoint"))) {
    return failure();
  }
  setLike(inference, getInput(), getTo());
  return success();
}

LogicalResult IntegerAddOp::inferTypes(TypeInference &inference) {
  if (failed(expectIntegers(inference, getLhs(), {8, 16}, "operands")) ||
      failed(expectIntegers(inference, getRhs(), {8, 16}, "operands")) ||
      failed(expectZeroPoint(inference, getLhs(), getLhsZeroPoint(), "lhsZeroPoint")) ||
      failed(expectZeroPoint(inference, getRhs(), getRhsZeroPoint(), "rhsZeroPoint")) ||
      failed(checkRange(inference, getTo(), getZeroPoint(), getLow(), getHigh())) ||
      failed(checkShift(inference, getShift()))) {
    return failure();
  }
  for (uint64_t unsignedValue : {getLhsMultiplier(), getRhsMultiplier()}) {
    auto value = static_cast<int64_t>(unsignedValue);
    if (value <= INT32_MIN || value > INT32_MAX) { // [integer_add.2]
      return inference.error() << "expects multipliers below 2^31 in magnitude, got " << value;
    }
  }
  return setBroadcast(inference, getLhs(), getRhs(), getTo());
}

LogicalResult IntegerMulOp::inferTypes(TypeInference &inference) {
  if (failed(expectIntegers(inference, getLhs(), {8, 16}, "operands")) ||
      failed(expectIntegers(inference, getRhs(), {8, 16}, "operands")) ||
      failed(expectZeroPoint(inference, getLhs(), getLhsZeroPoint(), "lhsZeroPoint")) ||
      failed(expectZeroPoint(inference, getRhs(), getRhsZeroPoint(), "rhsZeroPoint"))) {
    return failure();
  }
  return setBroadcast(inference, getLhs(), getRhs(), IntegerType::get(getContext(), 32));
}

LogicalResult LookupOp::inferTypes(TypeInference &inference) {
  if (failed(expectIntegers(inference, getInput(), {8}, "an input")) ||
      failed(expectVector(inference, getTable(), 256, "the table"))) { // [lookup.1]
    return failure();
  }
  setLike(inference, getInput(), inference.elementType(getTable()));
  return success();
}

LogicalResult expectNormalization(TypeInference &inference, ValueRange tables,
                                  const NormalizationNumbers &numbers) {
  if (numbers.size < 1 || numbers.size > 255) { // [integer_lrn.1]
    return inference.error() << "expects a size in [1, 255], got " << numbers.size;
  }
  for (Value table : tables) {
    Shape shape = inference.shape(table);
    bool isTable = shape.size() == 1 && shape[0] >= 2 &&
                   fromMlir(inference.elementType(table)) == ElementType::I16;
    if (!isTable) { // [integer_lrn.2]
      return inference.error() << "expects i16 tables of two or more entries, got "
                               << inference.type(table);
    }
  }
  for (int64_t shift : {numbers.nearShift, numbers.farShift}) { // [integer_lrn.3]
    if (shift < 0 || shift > 16) {
      return inference.error() << "expects shifts in [0, 16], got " << shift;
    }
  }
  int64_t end = (inference.shape(tables[0])[0] - 1) << numbers.nearShift;
  if (numbers.farStart < 0 || numbers.farStart > end) {
    return inference.error() << "expects farStart in [0, " << end << "], got " << numbers.farStart;
  }
  if (std::abs(numbers.bias) >= int64_t(1) << 30) { // [integer_lrn.4]
    return inference.error() << "expects a bias below 2^30 in magnitude, got " << numbers.bias;
  }
  return success();
}

LogicalResult IntegerLRNOp::inferTypes(TypeInference &inference) {
  if (failed(expectIntegers(inference, getInput(), {8}, "an input")) ||
      failed(expectZeroPoint(inference, getInput(), getInputZeroPoint(), "inputZeroPoint")) ||
      failed(expectNormalization(inference, {getNear(), getFar()}, normalizationOf(*this)))) {
    return failure();
  }
  if (inference.hasRank(getInput()) && inference.shape(getInput()).size() < 2) {
    return inference.error() << "expects an input with a channel dimension, got "
                             << inference.type(getInput());
  }
  setLike(inference, getInput(), IntegerType::get(getContext(), 32));
  return success();
}

} // namespace convoy::graph
