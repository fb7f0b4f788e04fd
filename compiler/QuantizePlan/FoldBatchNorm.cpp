// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds BatchNormalization into the convolution or product before it, because both are linear in
// each output channel, and the factors of Gemm into its weights. prepareModel calls the functions.
// Simplify/NormParameters.cpp has the arithmetic.

#include "QuantizePlan/Initializers.h"
#include "QuantizePlan/NodeKind.h"
#include "QuantizePlan/PrepareModel.h"
#include "Simplify/NormParameters.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::plan {
namespace {

using simplify::NormParameters;

/// Returns the parameters of a BatchNormalization in inference mode.
std::optional<NormParameters> normOf(const onnx::NodeProto &node, const GraphView &view,
                                     int64_t opset, int64_t channels) {
  auto isUsed = [&](const std::string &name) { return !name.empty(); };
  bool isTraining = intAttribute(node, "training_mode", 0) != 0 || opset < 7 ||
                    intAttribute(node, "spatial", 1) == 0 ||
                    llvm::count_if(node.output(), isUsed) != 1;
  std::vector<Tensor> parameters;
  for (int i = 1; i < 5 && !isTraining; ++i) {
    const onnx::TensorProto *constant = view.initializer(inputOf(node, i));
    std::optional<Tensor> tensor = constant ? decode(*constant) : std::nullopt;
    if (!tensor || !isFloat(tensor->type()) || tensor->size() != channels) {
      return std::nullopt;
    }
    parameters.push_back(std::move(*tensor));
  }
  if (isTraining) {
    return std::nullopt;
  }
  return NormParameters{parameters[0], parameters[1], parameters[2], parameters[3],
                        floatAttribute(node, "epsilon", 1e-5F)};
}

class BatchNormFolder {
public:
  BatchNormFolder(onnx::GraphProto &graph, int64_t opset)
      : graph(graph), view(graph), names(tensorNames(graph)), opset(opset) {
    for (onnx::NodeProto &node : *graph.mutable_node()) {
      nodes[&node] = &node;
    }
  }

  void run() {
    std::set<const onnx::NodeProto *> folded;
    for (onnx::NodeProto &node : *graph.mutable_node()) {
      if (isOp(node, "BatchNormalization") && node.input_size() == 5 && node.output_size() > 0 &&
          fold(node)) {
        folded.insert(&node);
      }
    }
    removeNodes(graph, folded);
  }

private:
  /// Returns the producer of a tensor that only `reader` reads, or null.
  onnx::NodeProto *soleProducer(const std::string &tensor, const onnx::NodeProto &reader) {
    const onnx::NodeProto *producer = view.producer(tensor);
    bool isSole = producer && view.onlyReader(tensor) == &reader;
    return isSole ? nodes.at(producer) : nullptr;
  }

  /// Returns the layer whose result `add` reads, or null.
  onnx::NodeProto *layerBefore(const onnx::NodeProto &add) {
    for (const std::string &input : add.input()) {
      if (onnx::NodeProto *producer = soleProducer(input, add); producer && isLinear(*producer)) {
        return producer;
      }
    }
    return nullptr;
  }

  /// Folds a node and returns whether the node must be removed.
  bool fold(onnx::NodeProto &norm) {
    onnx::NodeProto *before = soleProducer(norm.input(0), norm);
    onnx::NodeProto *add = before && isOp(*before, "Add") ? before : nullptr;
    onnx::NodeProto *layer = add ? layerBefore(*add) : before;
    std::optional<LinearNode> linear = layer ? linearNode(*layer, view) : std::nullopt;
    if (!linear || (isOp(*layer, "MatMul") && rankOf(graph, norm.input(0)) != 2)) {
      return false;
    }
    std::string bias = add ? addedBias(*add, layer->output(0), *linear, view) : linear->bias;
    std::optional<NormParameters> values = normOf(norm, view, opset, linear->channels);
    if (!values || (add && bias.empty())) {
      return false;
    }
    scaleWeights(*layer, *linear, *values);
    std::string folded = foldBias(*layer, *linear, bias, *values, add != nullptr);
    if (add) {
      *add->mutable_input(add->input(0) == layer->output(0) ? 1 : 0) = folded;
    } else if (isOp(*layer, "MatMul")) { // has no operand for a bias
      norm.set_op_type("Add");
      norm.clear_attribute();
      norm.mutable_input()->DeleteSubrange(1, norm.input_size() - 1);
      norm.add_input(folded);
      return false;
    } else {
      while (layer->input_size() < 3) {
        layer->add_input("");
      }
      layer->set_input(2, folded);
    }
    (add ? add : layer)->set_output(0, norm.output(0));
    return true;
  }

  /// Returns the name of the tensor that replaces an initializer: its own, or a new one if another
  /// node reads it.
  std::string replacementOf(const std::string &initializer) {
    bool isShared = view.readers(initializer).size() > 1 || view.isOutput(initializer);
    return isShared ? freshName(names, initializer + "_folded") : initializer;
  }

  void scaleWeights(onnx::NodeProto &layer, const LinearNode &linear, const NormParameters &norm) {
    Tensor weights = *decode(*view.initializer(linear.weight));
    std::string name = replacementOf(linear.weight);
    setInitializer(graph, encode(name, simplify::scaledWeight(weights, linear.axis, norm)));
    layer.set_input(1, name);
  }

  /// Returns the initializer of the folded bias. An added bias keeps its rank.
  std::string foldBias(const onnx::NodeProto &layer, const LinearNode &linear,
                       const std::string &bias, const NormParameters &norm, bool isAdded) {
    std::optional<Tensor> given = bias.empty() ? std::nullopt : decode(*view.initializer(bias));
    Shape shape(isAdded ? static_cast<size_t>(linear.axisFromEnd) : 1, 1);
    shape[0] = linear.channels;
    Tensor folded = simplify::foldedBias(given, ElementType::F32, shape, norm);
    std::string name =
        bias.empty() ? freshName(names, layer.input(1) + "_bias") : replacementOf(bias);
    setInitializer(graph, encode(name, folded));
    return name;
  }

  onnx::GraphProto &graph;
  GraphView view;
  std::set<std::string> names;
  int64_t opset;
  std::map<const onnx::NodeProto *, onnx::NodeProto *> nodes;
};

/// Multiplies a factor into an initializer, or into a copy of it. Returns the name of the result.
std::string scaled(onnx::GraphProto &graph, const GraphView &view, std::set<std::string> &names,
                   const std::string &initializer, float factor) {
  Tensor tensor = *decode(*view.initializer(initializer));
  auto *elements = tensor.mutableData<float>();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    elements[i] *= factor;
  }
  bool isShared = view.readers(initializer).size() > 1 || view.isOutput(initializer);
  std::string name = isShared ? freshName(names, initializer + "_scaled") : initializer;
  setInitializer(graph, encode(name, tensor));
  return name;
}

} // namespace

void foldBatchNorms(onnx::GraphProto &graph, int64_t opset) { BatchNormFolder(graph, opset).run(); }

void foldGemmFactors(onnx::GraphProto &graph) {
  GraphView view(graph);
  std::set<std::string> names = tensorNames(graph);
  auto isConstant = [&](const std::string &name) {
    const onnx::TensorProto *found = view.initializer(name);
    return found && holdsFloats(*found);
  };
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    float alpha = floatAttribute(node, "alpha", 1);
    float beta = floatAttribute(node, "beta", 1);
    std::string bias = inputOf(node, 2);
    if (!isOp(node, "Gemm") || (alpha == 1 && beta == 1) || !isConstant(inputOf(node, 1)) ||
        (!bias.empty() && !isConstant(bias))) {
      continue;
    }
    if (alpha != 1) {
      node.set_input(1, scaled(graph, view, names, node.input(1), alpha));
    }
    if (beta != 1 && !bias.empty()) {
      node.set_input(2, scaled(graph, view, names, bias, beta));
    }
    auto &attributes = *node.mutable_attribute();
    attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                    [](const onnx::AttributeProto &attribute) {
                                      return attribute.name() == "alpha" ||
                                             attribute.name() == "beta";
                                    }),
                     attributes.end());
  }
}

} // namespace convoy::plan
