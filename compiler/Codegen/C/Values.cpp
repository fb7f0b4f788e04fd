// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints values as text.

#include "Codegen/C/CTypes.h"
#include "Codegen/C/Expressions.h"
#include "Codegen/C/FunctionPrinter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

/// Returns the step s of a constant 0, s, 2s..., else nothing.
std::optional<int64_t> stepOf(DenseElementsAttr constant) {
  if (!constant.getElementType().isIntOrIndex()) {
    return std::nullopt;
  }
  SmallVector<APInt> values(constant.getValues<APInt>());
  int64_t step = values.size() > 1 ? values[1].getSExtValue() : 0;
  for (auto [i, value] : llvm::enumerate(values)) {
    if (value.getSExtValue() != static_cast<int64_t>(i) * step) {
      return std::nullopt;
    }
  }
  return step;
}

/// Returns the comparison of lane l that gives a mask with one border, else nothing. Compilers
/// vectorize a loop with the comparison, but not every loop that reads a table.
std::optional<std::string> comparisonOf(DenseElementsAttr mask) {
  if (!mask.getElementType().isInteger(1)) {
    return std::nullopt;
  }
  SmallVector<bool> lanes(mask.getValues<bool>());
  const bool *border = std::find(lanes.begin(), lanes.end(), !lanes.front());
  if (!std::all_of(border, std::as_const(lanes).end(),
                   [&](bool lane) { return lane == !lanes.front(); })) {
    return std::nullopt;
  }
  return std::string(lanes.front() ? "(l < " : "(l >= ") + std::to_string(border - lanes.begin()) +
         ")";
}

/// "(a) + (b)" is not atomic, although it starts and ends with parentheses.
bool isAtomic(StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

/// Returns whether an operand of a sum of indices needs no parentheses.
bool standsAsTerm(Operation *op, size_t number) {
  if (!isa<arith::AddIOp, arith::SubIOp>(op) || !op->getResult(0).getType().isIndex()) {
    return false;
  }
  Operation *operand = op->getOperand(number).getDefiningOp();
  bool isSum = isa_and_nonnull<arith::AddIOp, arith::SubIOp>(operand);
  return isa_and_nonnull<arith::MulIOp>(operand) ||
         (isSum && (number == 0 || isa<arith::AddIOp>(op)));
}

} // namespace

std::string FunctionPrinter::table(DenseElementsAttr constant, VectorType type) {
  std::string list;
  for (Attribute element : constant.getValues<Attribute>()) {
    list += (list.empty() ? "" : ", ") + literal(element);
  }
  return "{" + list + "}";
}

FunctionPrinter::Place FunctionPrinter::placeOfConstant(Value value, Attribute constant) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type) {
    return {Place::Kind::Text, literal(constant)};
  }
  auto elements = cast<DenseElementsAttr>(constant);
  if (elements.isSplat()) {
    return {Place::Kind::Spread, literal(elements.getSplatValue<Attribute>())};
  }
  std::string key = scalarKey(type.getElementType());
  if (flavor == Flavor::Vectors) {
    helpers.vector(key, type.getNumElements());
    std::string list = key == "bool" ? "-(" : "(";
    list += "(" + vectorType(type) + ")" + table(elements, type) + ")";
    return {Place::Kind::Variable, list};
  }
  if (std::optional<std::string> comparison = comparisonOf(elements)) {
    return {Place::Kind::Lane, *comparison};
  }
  if (std::optional<int64_t> step = stepOf(elements)) {
    std::string factor = *step == 1 ? "l" : "(l * " + std::to_string(*step) + ")";
    return {Place::Kind::Lane, key == "index" ? factor : "(" + scalarType(key) + ")" + factor};
  }
  // Printed at each use, because the compiler then treats the table as a constant.
  return {Place::Kind::Variable, "((const " + scalarType(key) + "[]){" +
                                     StringRef(table(elements, type)).drop_front().str() + ")"};
}

const FunctionPrinter::Place &FunctionPrinter::place(Value value) {
  auto found = places.find(value);
  if (found != places.end()) {
    return found->second;
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op)) {
    return places[value] = placeOfConstant(value, constant.getValue());
  }
  if (auto broadcast = dyn_cast_or_null<vector::BroadcastOp>(op)) {
    std::string scalar = text(broadcast.getSource());
    return places[value] = {Place::Kind::Spread, scalar};
  }
  return places[value] = {Place::Kind::Text, "(" + expression(op) + ")"};
}

std::string FunctionPrinter::expression(Operation *op) {
  SmallVector<std::string> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    operands.push_back(standsAsTerm(op, i) ? bare(operand) : text(operand));
  }
  return scalarExpression(op, operands, helpers);
}

std::string FunctionPrinter::text(Value value) { return place(value).text; }

std::string FunctionPrinter::bare(Value value) {
  const std::string &written = place(value).text;
  Operation *op = value.getDefiningOp();
  bool isWrapped = op && inlining.isInlined(op) && !isa<arith::ConstantOp>(op) &&
                   !isa<VectorType>(value.getType());
  return isWrapped ? written.substr(1, written.size() - 2) : written;
}

std::string FunctionPrinter::whole(Value value) {
  Place found = place(value);
  if (found.kind != Place::Kind::Spread) {
    return found.text;
  }
  auto type = cast<VectorType>(value.getType());
  return helpers.splat(scalarKey(type.getElementType()), type.getNumElements()) + "(" + found.text +
         ")";
}

std::string FunctionPrinter::laneAt(Value value, StringRef index) {
  Place found = place(value);
  if (found.kind == Place::Kind::Lane && index != "l") { // a constant 0, s, 2s...
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    unsigned number = 0;
    return index.getAsInteger(10, number) ? "" : literal(elements.getValues<Attribute>()[number]);
  }
  if (found.kind != Place::Kind::Variable) {
    return found.text;
  }
  std::string element = found.text + "[" + index.str() + "]";
  bool isMask = getElementTypeOrSelf(value.getType()).isInteger(1);
  return isMask && flavor == Flavor::Vectors ? "(" + element + " != 0)" : element;
}

std::string FunctionPrinter::lane(Value value) { return laneAt(value, "l"); }

std::string FunctionPrinter::address(Value memory, ValueRange indices) {
  std::string base = text(memory);
  if (indices.empty()) {
    return base;
  }
  std::string offset = bare(indices[0]);
  if (offset == "0") {
    return base;
  }
  return isAtomic(offset) ? base + " + " + offset : base + " + (" + offset + ")";
}

std::string FunctionPrinter::typeOf(Value value) {
  if (auto type = dyn_cast<VectorType>(value.getType())) {
    std::string key = scalarKey(type.getElementType());
    return flavor == Flavor::Vectors ? helpers.vector(key, type.getNumElements()) : scalarType(key);
  }
  if (auto type = dyn_cast<MemRefType>(value.getType())) {
    return (isConst(value) ? "const " : "") + scalarType(scalarKey(type.getElementType())) + " *";
  }
  return scalarType(scalarKey(value.getType()));
}

std::string FunctionPrinter::typeInMemory(Value value) {
  auto type = cast<VectorType>(value.getType());
  return helpers.vectorInMemory(scalarKey(type.getElementType()), type.getNumElements());
}

std::string FunctionPrinter::viewText(memref::ViewOp view) {
  std::string type = scalarType(scalarKey(view.getType().getElementType()));
  auto argument = dyn_cast<BlockArgument>(view.getSource());
  if (kernel || !argument) {
    std::string qualifier = isConst(view.getSource()) ? "const " : "";
    return "(" + qualifier + type + " *)(" + qualifier + "void *)(" +
           address(view.getSource(), view.getByteShift()) + ")";
  }
  bool isWeights = argument.getArgNumber() + 1 == function.getNumArguments();
  APInt offset;
  if (isWeights && matchPattern(view.getByteShift(), m_ConstantInt(&offset))) {
    auto named = weights.find(offset.getSExtValue());
    if (named != weights.end()) {
      return named->second;
    }
  }
  if (!isWeights && arenaIndex(argument.getArgNumber()).value_or(0) > 0) {
    return "(" + type + " *)(void *)(" + address(argument, view.getByteShift()) + ")";
  }
  return (isWeights ? "WEIGHTS(" : "ARENA(") + type + ", " + bare(view.getByteShift()) + ")";
}

} // namespace convoy::codegen
