// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the biases of quantized layers.

#include "QuantizePlan/Biases.h"
#include "QuantizePlan/Initializers.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

namespace convoy::plan {
namespace {

/// Moves the last node of a graph to a position.
void moveLast(onnx::GraphProto &graph, int to) {
  for (int i = graph.node_size() - 1; i > to; --i) {
    graph.mutable_node()->SwapElements(i, i - 1);
  }
}

/// Inserts an Add of `bias` after node `index`, whose output `sums` becomes the output of the Add.
void insertAdd(onnx::GraphProto &graph, int index, const std::string &bias,
               std::set<std::string> &names) {
  onnx::NodeProto &node = *graph.mutable_node(index);
  std::string sums = node.output(0);
  node.set_output(0, freshName(names, sums + "_product"));
  std::string product = node.output(0);
  onnx::NodeProto &add = *graph.add_node();
  add.set_op_type("Add");
  add.set_name(bias + "_Add");
  add.add_input(product);
  add.add_input(bias);
  add.add_output(sums);
  moveLast(graph, index + 1);
}

/// Converts a Gemm to a MatMul of the same product without bias: before opset 11, a Gemm must have
/// a bias. The weights of the node are a matrix and alpha is 1. Returns the number of added nodes.
int convertGemm(onnx::GraphProto &graph, int index, std::set<std::string> &names) {
  onnx::NodeProto &node = *graph.mutable_node(index);
  bool isTransposed = intAttribute(node, "transB", 0) != 0;
  node.set_op_type("MatMul");
  node.clear_attribute();
  if (!isTransposed) {
    return 0;
  }
  std::string weight = node.input(1);
  node.set_input(1, freshName(names, weight + "_transposed"));
  std::string transposed = node.input(1);
  onnx::NodeProto &transpose = *graph.add_node();
  transpose.set_op_type("Transpose");
  transpose.set_name(transposed);
  transpose.add_input(weight);
  transpose.add_output(transposed);
  onnx::AttributeProto &perm = *transpose.add_attribute(); // ONNX Runtime expects it
  perm.set_name("perm");
  perm.set_type(onnx::AttributeProto::INTS);
  perm.add_ints(1);
  perm.add_ints(0);
  moveLast(graph, index);
  return 1;
}

/// Adds a bias of zeros to a layer that has none and returns its name.
std::string addZeros(onnx::GraphProto &graph, const Layer &layer, int64_t channels) {
  std::set<std::string> names = tensorNames(graph);
  std::string name = freshName(names, layer.weight + "_bias");
  *graph.add_initializer() = encode(name, Tensor(ElementType::F32, {channels}));
  for (int i = 0; i < graph.node_size(); ++i) {
    onnx::NodeProto &node = *graph.mutable_node(i);
    if (node.output_size() == 0 || node.output(0) != layer.sums) {
      continue;
    }
    if (isOp(node, "MatMul")) {
      insertAdd(graph, i, name, names);
      break;
    }
    while (node.input_size() < 3) {
      node.add_input("");
    }
    node.set_input(2, name);
    break;
  }
  return name;
}

/// Returns the shape of a constant with one element per channel that an Add adds to a layer.
Shape addedShape(const onnx::ModelProto &model, const Layer &layer, int64_t channels) {
  size_t rank = layer.op == "Conv" ? shapeOf(model, layer.weight).size() - 1 : 1;
  Shape shape(rank, 1);
  shape[0] = channels;
  return shape;
}

/// Returns the shape of a bias with one element per channel: the shape of the model's bias, or, if
/// that has one element, a shape that broadcasts to the output of the layer.
Shape biasShape(const onnx::ModelProto &model, const Layer &layer, const std::string &bias,
                int64_t channels) {
  std::vector<int64_t> own = shapeOf(model, bias);
  if (elementCount(own) == channels) {
    return Shape(own.begin(), own.end());
  }
  return addedShape(model, layer, channels);
}

/// Returns the constant that an Add adds in place of the bias `own` of a layer; zeros if `own` is
/// empty.
Tensor separatedBias(const onnx::ModelProto &model, const Layer &layer, const std::string &own) {
  int64_t channels = shapeOf(model, layer.weight)[static_cast<size_t>(layer.axis)];
  std::vector<float> values =
      own.empty() ? std::vector<float>(static_cast<size_t>(channels)) : floatsOf(model, own);
  auto count = static_cast<int64_t>(values.size()); // a Gemm may add one value to all channels
  Shape shape = addedShape(model, layer, count);
  if (layer.op != "Conv" && rankOf(model.graph(), layer.input) != 1) {
    // ONNX Runtime moves a bias of one dimension back into a Gemm.
    shape = {1, count};
  }
  Tensor bias(ElementType::F32, shape);
  std::copy(values.begin(), values.end(), bias.mutableData<float>());
  return bias;
}

/// Returns whether the input and the weights of a layer are integers.
bool isQuantized(const Layer &layer, const Plan &plan) {
  const ActivationPlan *input = plan.findActivation(layer.input);
  const WeightPlan *weights = plan.findWeights(layer.weight);
  return input && weights && input->type != ElementType::F32 && weights->type != ElementType::F32;
}

} // namespace

std::vector<CorrectedBias> correctedBiases(onnx::ModelProto &model, const Points &points,
                                           const FittedWeights &fitted) {
  std::vector<CorrectedBias> biases;
  std::set<std::string> seen;
  for (const Layer &layer : points.layers) {
    auto found = fitted.biases.find(layer.bias.empty() ? layer.weight : layer.bias);
    if (found == fitted.biases.end()) {
      continue;
    }
    const std::vector<float> &values = found->second;
    int64_t channels = shapeOf(model, layer.weight)[static_cast<size_t>(layer.axis)];
    assert(static_cast<int64_t>(values.size()) == channels);
    std::string name =
        layer.bias.empty() ? addZeros(*model.mutable_graph(), layer, channels) : layer.bias;
    if (seen.insert(name).second) {
      Tensor tensor(ElementType::F32, biasShape(model, layer, name, channels));
      std::copy(values.begin(), values.end(), tensor.mutableData<float>());
      biases.push_back({name, layer.weight, std::move(tensor)});
    }
  }
  return biases;
}

void separateBiases(onnx::ModelProto &model, const Points &points, const Plan &plan) {
  constexpr int64_t kFirstOfRound = 11;
  constexpr int64_t kFirstOfQLinear = 10;
  int64_t opset = opsetOf(model);
  onnx::GraphProto &graph = *model.mutable_graph();
  std::set<std::string> names = tensorNames(graph);
  std::set<std::string> moved;
  for (const Layer &layer : points.layers) {
    auto node = llvm::find_if(*graph.mutable_node(), [&](const onnx::NodeProto &candidate) {
      return candidate.output_size() > 0 && candidate.output(0) == layer.sums;
    });
    if (opset >= kFirstOfRound || !isQuantized(layer, plan) ||
        node == graph.mutable_node()->end() || isOp(*node, "Add")) {
      continue;
    }
    std::string own = inputOf(*node, 2);
    if (own.empty() && opset >= kFirstOfQLinear) {
      continue;
    }
    std::string name = freshName(names, (own.empty() ? layer.weight + "_bias" : own) + "_added");
    *graph.add_initializer() = encode(name, separatedBias(model, layer, own));
    while (node->input_size() > 2) {
      node->mutable_input()->RemoveLast();
    }
    auto index = static_cast<int>(node - graph.mutable_node()->begin());
    index += isOp(*node, "Gemm") ? convertGemm(graph, index, names) : 0;
    insertAdd(graph, index, name, names);
    moved.insert(own);
  }
  GraphView view(graph);
  removeInitializers(graph, [&](const std::string &name) {
    return moved.count(name) > 0 && view.readers(name).empty() && !view.isOutput(name);
  });
}

} // namespace convoy::plan
