// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, sets and verifies the attributes of the graph dialect.

#include "Graph/Attributes.h"
#include "Graph/AttributeRules.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

static bool isQuantization(Attribute attribute) {
  auto fields = dyn_cast<DictionaryAttr>(attribute);
  auto scales = fields ? fields.getAs<DenseF32ArrayAttr>("scales") : nullptr;
  auto zeroPoints = fields ? fields.getAs<DenseI32ArrayAttr>("zero_points") : nullptr;
  return scales && zeroPoints && !scales.empty() && scales.size() == zeroPoints.size() &&
         fields.getAs<IntegerAttr>("axis");
}

static bool isStringList(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, llvm::IsaPred<StringAttr>);
}

static constexpr AttributeRule kRules[] = {
    {kNameAttr, AttributeHolder::ArgumentOrResult, "a string", isAttr<StringAttr>},
    {kTypeAttr, AttributeHolder::Argument, "a type", isAttr<TypeAttr>},
    {kQuantizationAttr, AttributeHolder::ArgumentOrResult,
     "a dictionary of scales, zero_points of the same length and axis", isQuantization},
    {kWeightAttr, AttributeHolder::Argument, "a unit attribute", isAttr<UnitAttr>},
    {kDimsAttr, AttributeHolder::ArgumentOrResult, "an array of i32", isAttr<DenseI32ArrayAttr>},
    {kLabelsAttr, AttributeHolder::ArgumentOrResult, "an array of strings", isStringList},
    {kExtentsAttr, AttributeHolder::ArgumentOrResult, "a unit attribute", isAttr<UnitAttr>},
};

StringAttr argumentName(FunctionOpInterface function, unsigned index) {
  return function.getArgAttrOfType<StringAttr>(index, kNameAttr);
}

StringAttr resultName(FunctionOpInterface function, unsigned index) {
  return function.getResultAttrOfType<StringAttr>(index, kNameAttr);
}

DictionaryAttr argumentQuantization(FunctionOpInterface function, unsigned index) {
  return function.getArgAttrOfType<DictionaryAttr>(index, kQuantizationAttr);
}

DictionaryAttr resultQuantization(FunctionOpInterface function, unsigned index) {
  return function.getResultAttrOfType<DictionaryAttr>(index, kQuantizationAttr);
}

void setArgumentName(FunctionOpInterface function, unsigned index, const llvm::Twine &name) {
  function.setArgAttr(index, kNameAttr, StringAttr::get(function.getContext(), name));
}

void setResultName(FunctionOpInterface function, unsigned index, const llvm::Twine &name) {
  function.setResultAttr(index, StringAttr::get(function.getContext(), kNameAttr),
                         StringAttr::get(function.getContext(), name));
}

void numberInterface(FunctionOpInterface function, StringRef input, StringRef output) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    setArgumentName(function, i, input + Twine(i));
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    setResultName(function, i, output + Twine(i));
  }
}

TypeAttr argumentType(FunctionOpInterface function, unsigned index) {
  return function.getArgAttrOfType<TypeAttr>(index, kTypeAttr);
}

ArrayRef<int32_t> argumentDims(FunctionOpInterface function, unsigned index) {
  auto dims = function.getArgAttrOfType<DenseI32ArrayAttr>(index, kDimsAttr);
  return dims ? dims.asArrayRef() : ArrayRef<int32_t>();
}

ArrayRef<int32_t> resultDims(FunctionOpInterface function, unsigned index) {
  auto dims = function.getResultAttrOfType<DenseI32ArrayAttr>(index, kDimsAttr);
  return dims ? dims.asArrayRef() : ArrayRef<int32_t>();
}

ArrayAttr argumentLabels(FunctionOpInterface function, unsigned index) {
  return function.getArgAttrOfType<ArrayAttr>(index, kLabelsAttr);
}

ArrayAttr resultLabels(FunctionOpInterface function, unsigned index) {
  return function.getResultAttrOfType<ArrayAttr>(index, kLabelsAttr);
}

bool isExtentsArgument(FunctionOpInterface function, unsigned index) {
  return static_cast<bool>(function.getArgAttr(index, kExtentsAttr));
}

bool isExtentsResult(FunctionOpInterface function, unsigned index) {
  return static_cast<bool>(function.getResultAttr(index, kExtentsAttr));
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyOpAttribute(op, attribute, kRules);
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                     NamedAttribute attribute) {
  return verifyArgumentAttribute(op, attribute, kRules);
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                                        NamedAttribute attribute) {
  return verifyResultAttribute(op, attribute, kRules);
}

} // namespace convoy::graph
