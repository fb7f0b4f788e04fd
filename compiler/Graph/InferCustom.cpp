// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type rule of graph.custom, which evaluates the declaration of the user. TensorOps.cpp
// compiles the generated code of the op.

#include "Graph/Custom.h"
#include "Graph/DimExpression.h"
#include "llvm/ADT/StringExtras.h"
#include <functional>

using namespace mlir;

namespace convoy::graph {
namespace {

/// The names that expressions of one op may use.
class CustomNames {
public:
  CustomNames(CustomOp op, std::function<Type(Value)> typeOf) : op(op), typeOf(std::move(typeOf)) {}

  /// Returns the input of a name, or null.
  Value input(StringRef name) const {
    auto names = op.getInputNames().getAsValueRange<StringAttr>();
    for (auto [given, value] : llvm::zip(names, op.getInputs())) {
      if (given == name) {
        return value;
      }
    }
    return {};
  }

  llvm::Expected<int64_t> lookup(StringRef name, std::optional<int64_t> index) const {
    if (Value value = input(name); value && index) {
      auto type = dyn_cast<RankedTensorType>(typeOf(value));
      return type ? entry(type.getShape(), *index, "dimension", "input '" + name + "'")
                  : llvm::Expected<int64_t>(kDynamic);
    }
    Attribute value = attribute(name);
    if (auto integer = dyn_cast_or_null<IntegerAttr>(value); integer && !index) {
      return integer.getInt();
    }
    if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(value); list && index) {
      return entry(list.asArrayRef(), *index, "entry", "attribute '" + name + "'");
    }
    return llvm::createStringError("reads '" + name + (index ? "' with an index" : "'") +
                                   ", which is neither a dimension nor an integer");
  }

private:
  Attribute attribute(StringRef name) const {
    auto names = op.getParameterNames().getAsValueRange<StringAttr>();
    for (auto [given, value] : llvm::zip(names, op.getParameterValues())) {
      if (given == name) {
        return value;
      }
    }
    return {};
  }

  static llvm::Expected<int64_t> entry(ArrayRef<int64_t> list, int64_t index, StringRef what,
                                       const llvm::Twine &owner) {
    auto size = static_cast<int64_t>(list.size());
    if (std::optional<int64_t> place = normalizeAxis(index, size)) {
      return list[*place];
    }
    return llvm::createStringError("reads " + what + " " + llvm::Twine(index) + " of " + owner +
                                   ", which has " + llvm::Twine(size));
  }

  mutable CustomOp op; // mutable, because the accessors of ops are not const
  std::function<Type(Value)> typeOf;
};

bool isAttributeValue(Attribute value) {
  auto integer = dyn_cast<IntegerAttr>(value);
  auto number = dyn_cast<FloatAttr>(value);
  return (integer && integer.getType().isInteger(64)) || (number && number.getType().isF32()) ||
         isa<StringAttr, DenseI64ArrayAttr, DenseF32ArrayAttr>(value);
}

LogicalResult checkForm(CustomOp op, TypeInference &inference) {
  size_t inputs = op.getInputs().size(), results = op.getNumResults();
  if (op.getInputNames().size() != inputs) { // [custom.1]
    return inference.error() << "expects " << inputs << " names of inputs, got "
                             << op.getInputNames().size() << " [custom.1]";
  }
  if (op.getParameterNames().size() != op.getParameterValues().size() ||
      !llvm::all_of(op.getParameterValues(), isAttributeValue)) { // [custom.2]
    return inference.error() << "expects an i64, f32, string or array for each of "
                             << op.getParameterNames().size() << " attributes, got "
                             << op.getParameterValues() << " [custom.2]";
  }
  if (op.getResultTypes().size() != results) { // [custom.3]
    return inference.error() << "expects " << results << " types of results, got "
                             << op.getResultTypes().size() << " [custom.3]";
  }
  if (op.getResultShapes().size() != results) { // [custom.4]
    return inference.error() << "expects " << results << " shapes of results, got "
                             << op.getResultShapes().size() << " [custom.4]";
  }
  if (!isCustomFunctionName(op.getFunction())) { // [custom.5]
    return inference.error() << "expects the name of a C function that does not begin with "
                                "'convoy', got "
                             << op.getFunctionAttr() << " [custom.5]";
  }
  return success();
}

FailureOr<Type> elementOf(StringRef name, const CustomNames &names, TypeInference &inference,
                          MLIRContext *context) {
  if (Value input = names.input(name)) {
    return inference.elementType(input);
  }
  ElementType type = customElementType(name);
  if (type == ElementType::Undefined) { // [custom.3]
    return FailureOr<Type>(inference.error() << "expects the name of a type or an input, got '"
                                             << name << "' [custom.3]");
  }
  return toMlir(type, context);
}

FailureOr<Shape> shapeOf(ArrayAttr dims, unsigned result, const CustomNames &names,
                         TypeInference &inference) {
  Shape shape;
  auto lookup = [&](StringRef name, std::optional<int64_t> index) {
    return names.lookup(name, index);
  };
  for (Attribute dim : dims) {
    auto text = dyn_cast<StringAttr>(dim);
    llvm::Expected<int64_t> size = evaluateDim(text ? text.getValue() : StringRef(), lookup);
    if (!size) { // [custom.4]
      return FailureOr<Shape>(
          inference.error() << "cannot compute dimension " << shape.size() << " of output "
                            << result << ": " << llvm::toString(size.takeError()) << " [custom.4]");
    }
    if (*size < 0 && *size != kDynamic) { // [custom.4]
      return FailureOr<Shape>(inference.error() << "computes " << *size << " for dimension "
                                                << shape.size() << " of output " << result << " ("
                                                << dim << "), expected at least 0 [custom.4]");
    }
    shape.push_back(*size);
  }
  return shape;
}

} // namespace

LogicalResult CustomOp::inferTypes(TypeInference &inference) {
  if (failed(checkForm(*this, inference))) {
    return failure();
  }
  CustomNames names(*this, [&](Value value) { return inference.type(value); });
  for (unsigned i = 0; i < getNumResults(); ++i) {
    StringRef typeName = cast<StringAttr>(getResultTypes()[i]).getValue();
    FailureOr<Type> element = elementOf(typeName, names, inference, getContext());
    if (failed(element)) {
      return failure();
    }
    auto like = dyn_cast<StringAttr>(getResultShapes()[i]);
    Value input = like ? names.input(like.getValue()) : Value();
    if (input && !inference.hasRank(input)) {
      inference.setUnranked(i, *element);
      continue;
    }
    auto dims = dyn_cast<ArrayAttr>(getResultShapes()[i]);
    if (!input && !dims) { // [custom.4]
      return inference.error() << "expects an input or a list of dimensions as shape of output "
                               << i << ", got " << getResultShapes()[i] << " [custom.4]";
    }
    FailureOr<Shape> shape =
        input ? FailureOr<Shape>(inference.shape(input)) : shapeOf(dims, i, names, inference);
    if (failed(shape)) {
      return failure();
    }
    inference.set(i, *element, *shape);
  }
  return success();
}

ElementType customElementType(StringRef name) {
  for (int64_t i = 0; elementTypeFromOnnx(i); ++i) {
    ElementType type = *elementTypeFromOnnx(i);
    bool isByte = bitWidth(type) == 8 && isFloat(type);
    bool isNumber = isFloat(type) || isInteger(type) || type == ElementType::Bool;
    if (isNumber && !isByte && bitWidth(type) >= 8 && convoy::name(type) == name) {
      return type;
    }
  }
  return ElementType::Undefined;
}

bool isCustomFunctionName(StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, isWord) &&
         !name.starts_with("convoy");
}

std::optional<int64_t> operationsOf(CustomOp op) {
  CustomNames names(op, [](Value value) { return value.getType(); });
  llvm::Expected<int64_t> count = evaluateDim(
      op.getOperations().value_or(""),
      [&](StringRef name, std::optional<int64_t> index) { return names.lookup(name, index); });
  if (!count) {
    llvm::consumeError(count.takeError()); // The type rule reports an invalid declaration.
    return std::nullopt;
  }
  return *count >= 0 ? std::optional<int64_t>(*count) : std::nullopt;
}

const CustomFunctions *CustomFunctions::of(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<GraphDialect>();
  return dialect ? dialect->getRegisteredInterface<CustomFunctions>() : nullptr;
}

} // namespace convoy::graph
