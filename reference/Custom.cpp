// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates graph.custom: calls the C function of the user, which the driver compiles and loads.

#include "Graph/Custom.h"
#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {
namespace {

convoy_custom_attribute attributeOf(Attribute value) {
  convoy_custom_attribute result = {};
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    result.i = integer.getInt();
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    result.f = number.getValue().convertToFloat();
  } else if (auto text = dyn_cast<StringAttr>(value)) {
    // MLIR ends a text with a zero, but an empty text has no address.
    result.s = text.empty() ? "" : text.data();
  } else if (auto ints = dyn_cast<DenseI64ArrayAttr>(value); ints && !ints.empty()) {
    result.ints = ints.asArrayRef().data();
    result.count = ints.size();
  } else if (auto floats = dyn_cast<DenseF32ArrayAttr>(value); floats && !floats.empty()) {
    result.floats = floats.asArrayRef().data();
    result.count = floats.size();
  }
  return result;
}

/// Describes a tensor whose bytes the function may not share with others.
convoy_custom_tensor describe(Tensor &tensor) {
  return {tensor.mutableRaw(), tensor.shape().data(), static_cast<int32_t>(tensor.rank()),
          static_cast<int32_t>(tensor.type())};
}

LogicalResult evaluateCustom(graph::CustomOp op, Evaluation &e) {
  const graph::CustomFunctions *functions = graph::CustomFunctions::of(op.getContext());
  if (!functions) {
    return e.error() << "calls the function '" << op.getFunction() << "' of " << op.getOp()
                     << ", which only --custom-ops provides";
  }
  llvm::Expected<convoy_custom_function *> function = functions->find(op.getFunction());
  if (!function) {
    return e.error(function.takeError());
  }
  // Copies, because the function gets aligned elements and cannot change an input.
  std::vector<Tensor> tensors;
  for (Value input : op.getInputs()) {
    tensors.push_back(e.input(input));
  }
  std::vector<convoy_custom_tensor> inputs, outputs;
  for (Tensor &tensor : tensors) {
    inputs.push_back(describe(tensor));
  }
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    outputs.push_back(describe(e.output(i)));
  }
  if (!e.isWhole()) {
    return failure();
  }
  std::vector<convoy_custom_attribute> attributes;
  for (Attribute value : op.getParameterValues()) {
    attributes.push_back(attributeOf(value));
  }
  int32_t code = (*function)(inputs.data(), outputs.data(), attributes.data());
  if (code != 0) {
    return e.error() << "calls the function '" << op.getFunction() << "', which returned " << code
                     << "; 0 is success";
  }
  return success();
}

} // namespace

void addCustomEvaluators(EvaluatorTable &table) { table.add<graph::CustomOp, evaluateCustom>(); }

} // namespace convoy::reference
