// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of matrix products: matmul, integer_matmul, byte_matmul and einsum.

#include "Graph/Einsum.h"
#include "Graph/Graph.h"
#include "Graph/InferInteger.h"
#include "Graph/RuleChecks.h"

using namespace mlir;

namespace convoy::graph {

/// Sets result 0 to the shape of a matrix product. The caller has checked the
/// element types.
static LogicalResult setProduct(TypeInference &inference, Value lhsValue, Value rhsValue,
                                Type element) {
  if (!inference.hasRank(lhsValue) || !inference.hasRank(rhsValue)) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape lhs = inference.shape(lhsValue);
  Shape rhs = inference.shape(rhsValue);
  if (lhs.empty() || rhs.empty()) {
    return inference.error() << "expects operands of rank 1 or more, got "
                             << inference.type(lhsValue) << " and " << inference.type(rhsValue);
  }
  bool isRow = lhs.size() == 1;
  bool isColumn = rhs.size() == 1;
  if (isRow) {
    lhs.insert(lhs.begin(), 1);
  }
  if (isColumn) {
    rhs.push_back(1);
  }
  int64_t inner = lhs.back();
  int64_t innerRhs = rhs[rhs.size() - 2];
  if (!mayEqual(inner, innerRhs)) { // [matmul.1]
    return inference.error() << "expects equal inner dimensions, got " << inner << " ("
                             << inference.type(lhsValue) << ") and " << innerRhs << " ("
                             << inference.type(rhsValue) << ")";
  }
  std::optional<Shape> result =
      broadcastShapes(ArrayRef(lhs).drop_back(2), ArrayRef(rhs).drop_back(2));
  if (!result) { // [matmul.2]
    return inference.error() << "expects batch dimensions that broadcast, got "
                             << inference.type(lhsValue) << " and " << inference.type(rhsValue);
  }
  if (!isRow) {
    result->push_back(lhs[lhs.size() - 2]);
  }
  if (!isColumn) {
    result->push_back(rhs.back());
  }
  inference.set(0, element, *result);
  return success();
}

LogicalResult MatMulOp::inferTypes(TypeInference &inference) {
  if (failed(expectNumbers(inference, getLhs(), "operands")) ||
      failed(expectElementsLike(inference, getRhs(), getLhs(), "a right operand"))) {
    return failure();
  }
  return setProduct(inference, getLhs(), getRhs(), inference.elementType(getLhs()));
}

LogicalResult IntegerMatMulOp::inferTypes(TypeInference &inference) {
  bool isKnown = inference.hasRank(getRhs());
  if (isKnown && inference.shape(getRhs()).size() < 2) {
    return inference.error() << "expects a right operand of rank 2 or more, got "
                             << inference.type(getRhs());
  }
  int64_t columns = isKnown ? inference.shape(getRhs()).back() : kDynamic;
  if (failed(expectIntegers(inference, getLhs(), {8, 16}, "a left operand")) ||
      failed(expectIntegers(inference, getRhs(), {8}, "a right operand")) ||
      failed(expectBias(inference, getBias())) ||
      failed(expectVector(inference, getBias(), columns, "the bias")) ||
      failed(expectChannelVectors(inference, getChannelVectors(), columns, getRhsZeroPoint())) ||
      failed(expectZeroPoint(inference, getLhs(), getLhsZeroPoint(), "lhsZeroPoint")) ||
      failed(expectZeroPoint(inference, getRhs(), getRhsZeroPoint(), "rhsZeroPoint"))) {
    return failure();
  }
  return setProduct(inference, getLhs(), getRhs(), sumTypeOf(inference, *this, getBias()));
}

/// Checks [byte_matmul.2]. `summed` is the position of the summed dimension from the end.
static LogicalResult expectZeroPoints(TypeInference &inference, Value zeroPoint, Value matrix,
                                      size_t summed, StringRef operand) {
  if (failed(expectElementsLike(inference, zeroPoint, matrix, operand)) ||
      !inference.hasRank(zeroPoint) || !inference.hasRank(matrix)) {
    return failure(inference.elementType(zeroPoint) != inference.elementType(matrix));
  }
  Shape own = inference.shape(zeroPoint);
  Shape shape = inference.shape(matrix);
  if (own.empty()) {
    return success();
  }
  bool isUniform =
      own.size() == shape.size() && shape.size() >= 2 && mayEqual(own[own.size() - summed], 1);
  for (size_t i = 0; isUniform && i < own.size(); ++i) {
    isUniform = mayEqual(own[i], 1) || mayEqual(own[i], shape[i]);
  }
  if (!isUniform) {
    return inference.error() << "expects " << operand << " that is a scalar or has one entry per "
                             << (summed == 1 ? "row" : "column") << " of " << inference.type(matrix)
                             << ", got " << inference.type(zeroPoint);
  }
  return success();
}

LogicalResult ByteMatMulOp::inferTypes(TypeInference &inference) {
  for (auto [value, name] :
       {std::pair(getLhs(), "a left operand"), std::pair(getRhs(), "a right operand")}) {
    if (failed(expectIntegers(inference, value, {8}, name))) { // [byte_matmul.1]
      return failure();
    }
    if (inference.hasRank(value) && inference.shape(value).size() < 2) {
      return inference.error() << "expects " << name << " of rank 2 or more, got "
                               << inference.type(value);
    }
  }
  if (failed(expectZeroPoints(inference, getLhsZeroPoint(), getLhs(), 1, "a left zero point")) ||
      failed(expectZeroPoints(inference, getRhsZeroPoint(), getRhs(), 2, "a right zero point"))) {
    return failure();
  }
  return setProduct(inference, getLhs(), getRhs(), IntegerType::get(getContext(), 32));
}

namespace {

/// The size of each label of the equation.
struct LabelSizes {
  int64_t sizes[26];
  bool isUsed[26] = {};

  int64_t &of(char label) { return sizes[label - 'a']; }
  bool &used(char label) { return isUsed[label - 'a']; }
};

/// Merges the dimensions of one operand into the sizes of its labels.
LogicalResult mergeSizes(TypeInference &inference, Value value, StringRef labels,
                         LabelSizes &sizes) {
  std::string operand = ("operand '" + labels + "'").str();
  if (failed(expectRank(inference, value, labels.size(), operand))) {
    return failure();
  }
  Shape shape = shapeOrUnknown(inference, value, labels.size());
  for (auto [label, dim] : llvm::zip(labels, shape)) {
    if (!sizes.used(label)) {
      sizes.used(label) = true;
      sizes.of(label) = dim;
      continue;
    }
    std::optional<Shape> common = broadcastShapes({sizes.of(label)}, {dim});
    if (!common) { // [einsum.1]
      return inference.error() << "expects the same size for every dimension with label '"
                               << std::string(1, label) << "', got " << sizes.of(label) << " and "
                               << dim;
    }
    sizes.of(label) = common->front();
  }
  return success();
}

} // namespace

/// Checks that the text is an explicit equation with labels a to z for
/// `operands` operands.
static LogicalResult checkEquation(TypeInference &inference, StringRef text, size_t operands) {
  EinsumEquation equation = EinsumEquation::parse(text);
  auto isLetter = [](char c) { return c >= 'a' && c <= 'z'; };
  bool isWellFormed = text.count("->") == 1 && llvm::all_of(equation.output, isLetter);
  for (StringRef labels : equation.inputs) {
    isWellFormed &= llvm::all_of(labels, isLetter);
  }
  if (!isWellFormed || equation.inputs.size() != operands) {
    return inference.error() << "expects an explicit equation with labels a to z for " << operands
                             << " operands, got '" << text << "'";
  }
  for (char label : equation.output) {
    bool occurs =
        llvm::any_of(equation.inputs, [&](StringRef labels) { return labels.contains(label); });
    if (!occurs || equation.output.count(label) != 1) {
      return inference.error() << "expects each output label to occur in an operand and exactly "
                                  "once in the output, got '"
                               << text << "'";
    }
  }
  return success();
}

LogicalResult EinsumOp::inferTypes(TypeInference &inference) {
  if (getInputs().empty()) {
    return inference.error() << "expects at least one operand, got none";
  }
  if (failed(checkEquation(inference, getEquation(), getInputs().size()))) {
    return failure();
  }
  EinsumEquation equation = EinsumEquation::parse(getEquation());
  LabelSizes sizes;
  for (auto [value, labels] : llvm::zip(getInputs(), equation.inputs)) {
    if (failed(expectNumbers(inference, value, "operands")) ||
        failed(expectElementsLike(inference, value, getInputs()[0], "all operands")) ||
        failed(mergeSizes(inference, value, labels, sizes))) {
      return failure();
    }
  }
  Shape result;
  for (char label : equation.output) {
    result.push_back(sizes.of(label));
  }
  inference.set(0, inference.elementType(getInputs()[0]), result);
  return success();
}

} // namespace convoy::graph
