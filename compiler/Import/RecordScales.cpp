// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the scales of integer inputs and outputs in the ONNX graph, because Import expands
// QLinearConv and QLinearMatMul, and the quantize stage merges scales into multipliers. The table
// of the compiled model (convoy/table.h) contains the scales; no pass computes with them.

#include "Import/RecordScales.h"
#include "Graph/Attributes.h"
#include "Graph/Constant.h"
#include <cmath>

using namespace mlir;

namespace convoy::import {
namespace {

/// The positions of a quantized tensor, its scale and its zero point at a node. The tensor of a
/// writer is an output; everything else is an input.
struct Port {
  StringLiteral op;
  int tensor, scale, zeroPoint;
};

constexpr Port kReaders[] = {{"DequantizeLinear", 0, 1, 2},
                             {"QLinearConv", 0, 1, 2},
                             {"QLinearMatMul", 0, 1, 2},
                             {"QLinearMatMul", 3, 4, 5}};
constexpr Port kWriters[] = {
    {"QuantizeLinear", 0, 1, 2}, {"QLinearConv", 0, 6, 7}, {"QLinearMatMul", 0, 6, 7}};

bool isAt(const Port &port, const onnx::NodeProto &node) {
  // The QuantizeLinear and DequantizeLinear of com.microsoft have the same operands.
  bool isKnown = node.domain().empty() || node.domain() == "ai.onnx" ||
                 (node.domain() == "com.microsoft" && port.op.ends_with("uantizeLinear"));
  return port.op == node.op_type() && isKnown;
}

int64_t intAttribute(const onnx::NodeProto &node, StringRef name, int64_t otherwise) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (name == attribute.name()) {
      return attribute.i();
    }
  }
  return otherwise;
}

std::optional<Tensor> constantInput(const onnx::NodeProto &node, int index, const Scope &scope) {
  if (index >= node.input_size()) {
    return std::nullopt;
  }
  std::optional<Value> value = scope.find(node.input(index));
  return value && *value ? graph::constantValue(*value) : std::nullopt;
}

/// Returns one zero point per scale; none if they are not constant.
std::optional<SmallVector<int32_t>> zeroPointsOf(const onnx::NodeProto &node, const Port &port,
                                                 int64_t count, const Scope &scope) {
  bool isGiven = port.zeroPoint < node.input_size() && !node.input(port.zeroPoint).empty();
  SmallVector<int32_t> zeroPoints(static_cast<size_t>(count), 0);
  if (!isGiven) {
    return zeroPoints;
  }
  std::optional<Tensor> given = constantInput(node, port.zeroPoint, scope);
  if (!given || !isInteger(given->type()) || given->size() != count) {
    return std::nullopt;
  }
  for (auto [i, value] : llvm::enumerate(given->ints())) {
    zeroPoints[i] = static_cast<int32_t>(value);
  }
  return zeroPoints;
}

/// Returns the axis of the scales: -1 for one scale, none if the scales have another form.
std::optional<int64_t> axisOf(const onnx::NodeProto &node, const Tensor &scales, Type type) {
  if (scales.size() == 1) {
    return -1;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    return std::nullopt;
  }
  int64_t axis = intAttribute(node, "axis", 1);
  axis += axis < 0 ? tensor.getRank() : 0;
  bool isPerAxis = scales.shape().size() == 1 && intAttribute(node, "block_size", 0) == 0 &&
                   StringRef(node.op_type()).ends_with("quantizeLinear") && axis >= 0 &&
                   axis < tensor.getRank() && tensor.getDimSize(axis) == scales.size();
  return isPerAxis ? std::optional<int64_t>(axis) : std::nullopt;
}

/// Returns the scales of a tensor of the given type at a port; null if they are not constant.
DictionaryAttr quantizationAt(const onnx::NodeProto &node, const Port &port, Type type,
                              const Scope &scope) {
  std::optional<Tensor> scales = constantInput(node, port.scale, scope);
  if (!scales || scales->isEmpty() || !isFloat(scales->type())) {
    return nullptr;
  }
  std::optional<int64_t> axis = axisOf(node, *scales, type);
  std::optional<SmallVector<int32_t>> zeroPoints = zeroPointsOf(node, port, scales->size(), scope);
  SmallVector<float> values;
  for (int64_t i = 0; i < scales->size(); ++i) {
    values.push_back(static_cast<float>(scales->asDouble(i)));
  }
  auto isScale = [](float value) { return std::isfinite(value) && value > 0; };
  if (!axis || !zeroPoints || !llvm::all_of(values, isScale)) {
    return nullptr;
  }
  Builder b(type.getContext());
  return b.getDictionaryAttr({b.getNamedAttr("scales", b.getDenseF32ArrayAttr(values)),
                              b.getNamedAttr("zero_points", b.getDenseI32ArrayAttr(*zeroPoints)),
                              b.getNamedAttr("axis", b.getI64IntegerAttr(*axis))});
}

bool isIntegerTensor(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isInteger(fromMlir(tensor.getElementType()));
}

/// Returns the scales with which all nodes dequantize the input; null if there is no such node or
/// nodes disagree.
DictionaryAttr inputQuantization(const onnx::GraphProto &graph, StringRef name, Type type,
                                 const Scope &scope) {
  DictionaryAttr found;
  for (const onnx::NodeProto &node : graph.node()) {
    for (const Port &port : kReaders) {
      if (!isAt(port, node) || port.tensor >= node.input_size() ||
          name != node.input(port.tensor)) {
        continue;
      }
      DictionaryAttr here = quantizationAt(node, port, type, scope);
      if (!here || (found && found != here)) {
        return nullptr;
      }
      found = here;
    }
  }
  return found;
}

DictionaryAttr outputQuantization(const onnx::GraphProto &graph, StringRef name, Type type,
                                  const Scope &scope) {
  for (const onnx::NodeProto &node : graph.node()) {
    for (const Port &port : kWriters) {
      if (isAt(port, node) && node.output_size() > 0 && name == node.output(port.tensor)) {
        return quantizationAt(node, port, type, scope);
      }
    }
  }
  return nullptr;
}

} // namespace

void recordScales(const onnx::GraphProto &graph, const Scope &scope, func::FuncOp main) {
  FunctionType type = main.getFunctionType();
  for (unsigned i = 0; i < type.getNumInputs(); ++i) {
    DictionaryAttr found;
    if (isIntegerTensor(type.getInput(i))) {
      found = inputQuantization(graph, graph::argumentName(main, i).str(), type.getInput(i), scope);
    }
    if (found) {
      main.setArgAttr(i, graph::kQuantizationAttr, found);
    }
  }
  for (unsigned i = 0; i < type.getNumResults(); ++i) {
    DictionaryAttr found;
    if (isIntegerTensor(type.getResult(i))) {
      found = outputQuantization(graph, graph::resultName(main, i).str(), type.getResult(i), scope);
    }
    if (found) {
      main.setResultAttr(i, StringAttr::get(main.getContext(), graph::kQuantizationAttr), found);
    }
  }
}

} // namespace convoy::import
