// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the classification of nodes.

#include "QuantizePlan/NodeKind.h"
#include "QuantizePlan/Initializers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace convoy::plan {
namespace {

bool isOneOf(const onnx::NodeProto &node, std::initializer_list<const char *> ops) {
  return llvm::any_of(ops, [&](const char *op) { return isOp(node, op); });
}

int64_t elementsOf(const onnx::TensorProto &tensor) {
  return elementCount(Shape(tensor.dims().begin(), tensor.dims().end())).value_or(0);
}

/// Returns an initializer of F32 whose elements are in the model, so that decode() succeeds.
const onnx::TensorProto *floatInitializer(const std::string &name, const GraphView &view) {
  const onnx::TensorProto *found = view.initializer(name);
  return found && holdsFloats(*found) ? found : nullptr;
}

/// Returns whether a constant that broadcasts to the output of a layer has one element, or one per
/// output channel.
bool isPerChannel(const onnx::TensorProto &constant, const LinearNode &layer) {
  for (int i = 0; i < constant.dims_size(); ++i) {
    bool isChannel = constant.dims_size() - i == layer.axisFromEnd;
    if (constant.dims(i) != 1 && !(isChannel && constant.dims(i) == layer.channels)) {
      return false;
    }
  }
  return true;
}

/// Returns the integers of an attribute, or of an input that newer opsets use in its place.
std::optional<Shape> intsOf(const onnx::NodeProto &node, const char *attribute, int input,
                            const GraphView &view) {
  if (const onnx::AttributeProto *given = findAttribute(node, attribute)) {
    return Shape(given->ints().begin(), given->ints().end());
  }
  const onnx::TensorProto *constant = view.initializer(inputOf(node, input));
  std::optional<Tensor> tensor = constant ? decode(*constant) : std::nullopt;
  bool isList = tensor && tensor->type() == ElementType::I64;
  return isList ? std::optional<Shape>(tensor->ints()) : std::nullopt;
}

/// Returns whether a Pad adds zeros.
bool padsZeros(const onnx::NodeProto &node, const GraphView &view) {
  const onnx::AttributeProto *mode = findAttribute(node, "mode");
  if (!isOp(node, "Pad") || (mode && mode->s() != "constant")) {
    return false;
  }
  std::string value = inputOf(node, 2);
  const onnx::TensorProto *constant = value.empty() ? nullptr : view.initializer(value);
  std::optional<Tensor> tensor = constant ? decode(*constant) : std::nullopt;
  bool isZero = tensor && tensor->size() == 1 && tensor->asDouble(0) == 0;
  return (value.empty() || isZero) && floatAttribute(node, "value", 0) == 0;
}

} // namespace

std::optional<LinearNode> linearNode(const onnx::NodeProto &node, const GraphView &view) {
  const onnx::TensorProto *weight = floatInitializer(inputOf(node, 1), view);
  std::string bias = inputOf(node, 2);
  if (!isLinear(node) || !weight || (!bias.empty() && !floatInitializer(bias, view))) {
    return std::nullopt;
  }
  LinearNode layer;
  layer.weight = weight->name();
  layer.bias = bias;
  int rank = weight->dims_size();
  if (isOp(node, "Conv")) {
    layer.axisFromEnd = rank - 1;
  } else {
    layer.axis = isOp(node, "Gemm") && intAttribute(node, "transB", 0) != 0 ? 0 : 1;
  }
  bool isPlain = !isOp(node, "Gemm") ||
                 (intAttribute(node, "transA", 0) == 0 && floatAttribute(node, "alpha", 1) == 1 &&
                  (bias.empty() || floatAttribute(node, "beta", 1) == 1));
  if (!isPlain || (isOp(node, "Conv") ? rank < 3 : rank != 2) || elementsOf(*weight) == 0) {
    return std::nullopt;
  }
  layer.channels = weight->dims(static_cast<int>(layer.axis));
  const onnx::TensorProto *added = bias.empty() ? nullptr : view.initializer(bias);
  bool isBias = !added || (isOp(node, "Conv") ? elementsOf(*added) == layer.channels
                                              : isPerChannel(*added, layer));
  return isBias ? std::optional<LinearNode>(layer) : std::nullopt;
}

std::string addedBias(const onnx::NodeProto &add, const std::string &sums, const LinearNode &layer,
                      const GraphView &view) {
  if (!isOp(add, "Add") || add.input_size() != 2 || !layer.bias.empty()) {
    return "";
  }
  const std::string &other = add.input(add.input(0) == sums ? 1 : 0);
  const onnx::TensorProto *constant = floatInitializer(other, view);
  return constant && isPerChannel(*constant, layer) ? other : "";
}

bool isLinear(const onnx::NodeProto &node) { return isOneOf(node, {"Conv", "Gemm", "MatMul"}); }

bool isBound(const onnx::NodeProto &node, const GraphView &view) {
  if (isOp(node, "Relu")) {
    return true;
  }
  auto isLimit = [&](int index) {
    const onnx::TensorProto *constant = floatInitializer(inputOf(node, index), view);
    return constant && elementsOf(*constant) == 1;
  };
  if (isOp(node, "Clip")) { // before opset 11, the limits are attributes
    return (inputOf(node, 1).empty() || isLimit(1)) && (inputOf(node, 2).empty() || isLimit(2));
  }
  return isOneOf(node, {"Max", "Min"}) && node.input_size() == 2 && isLimit(1);
}

bool isOfTwo(const onnx::NodeProto &node, const GraphView &view) {
  return isOneOf(node, {"Add", "Sub", "Mul", "Sum"}) && node.input_size() == 2 &&
         !view.initializer(node.input(0)) && !view.initializer(node.input(1));
}

bool isCopy(const onnx::NodeProto &node, const GraphView &view) {
  return isOneOf(node, {"Concat", "DepthToSpace", "Flatten", "MaxPool", "GlobalMaxPool", "Reshape",
                        "Slice", "SpaceToDepth", "Split", "Squeeze", "Transpose", "Unsqueeze"}) ||
         padsZeros(node, view);
}

bool isAverage(const onnx::NodeProto &node, const GraphView &view) {
  if (isOneOf(node, {"AveragePool", "GlobalAveragePool"})) {
    return true;
  }
  // The ranks of activations are not known. Two or more trailing dimensions are spatial; one is
  // more often the mean of a layer normalization.
  std::optional<Shape> axes =
      isOp(node, "ReduceMean") ? intsOf(node, "axes", 1, view) : std::nullopt;
  if (!axes || axes->size() < 2) {
    return false;
  }
  llvm::sort(*axes);
  auto count = static_cast<int64_t>(axes->size());
  int64_t first = axes->front() < 0 ? -count : 2;
  return llvm::equal(*axes, llvm::seq<int64_t>(first, first + count));
}

} // namespace convoy::plan
