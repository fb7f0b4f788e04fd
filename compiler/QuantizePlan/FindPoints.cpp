// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which tensors of a model are quantized. A tensor is an activation of the plan if an op
// with an integer form reads it, or if a layer computes it. There is no activation between a layer
// and its bias, Relu or Clip, because the quantize stage lowers the chain to one integer layer. A
// tensor that is only copied shares the scale of its source:
//
//     Conv -> Relu -> [a] -> MaxPool -> [b] -> Conv -> [c] -> Softmax      a and b are tied

#include "QuantizePlan/NodeKind.h"
#include "QuantizePlan/Points.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::plan {
namespace {

using Type = int32_t; // of onnx::TensorProto::DataType

class PointFinder {
public:
  explicit PointFinder(const onnx::GraphProto &graph) : graph(graph), view(graph) {
    findTypes();
    for (const onnx::NodeProto &node : graph.node()) {
      findOfLayer(node);
    }
    // Nodes are in topological order, so a reverse walk sees the readers of a tensor first.
    for (const onnx::NodeProto &node : llvm::reverse(graph.node())) {
      findFeeds(node);
    }
  }

  Points find() {
    for (const onnx::ValueInfoProto &input : graph.input()) {
      if (!view.initializer(input.name()) && isReal(input.name()) && feeds.count(input.name())) {
        add(input.name());
      }
    }
    for (const onnx::NodeProto &node : graph.node()) {
      tieCopies(node);
      findActivations(node);
      findLayer(node);
      findAddends(node);
    }
    numberTies();
    excludeProducts();
    return std::move(points);
  }

private:
  void findTypes() {
    for (const auto *infos : {&graph.input(), &graph.value_info(), &graph.output()}) {
      for (const onnx::ValueInfoProto &info : *infos) {
        if (info.type().has_tensor_type()) {
          types.emplace(info.name(), info.type().tensor_type().elem_type());
        }
      }
    }
    for (const onnx::TensorProto &tensor : graph.initializer()) {
      types[tensor.name()] = tensor.data_type();
    }
    for (const onnx::NodeProto &node : graph.node()) {
      for (const std::string &output : node.output()) {
        types.emplace(output, resultType(node));
      }
    }
  }

  /// Returns the type of the results of a node. Most ops keep the type of their first input.
  Type resultType(const onnx::NodeProto &node) const {
    if (isOp(node, "Cast")) {
      return static_cast<Type>(intAttribute(node, "to", onnx::TensorProto::FLOAT));
    }
    if (isOp(node, "Shape") || isOp(node, "Size") || isOp(node, "ArgMax") || isOp(node, "ArgMin") ||
        isOp(node, "NonZero")) {
      return onnx::TensorProto::INT64;
    }
    if (isOp(node, "QuantizeLinear")) {
      return onnx::TensorProto::UINT8;
    }
    int index = isOp(node, "Where") || isOp(node, "DequantizeLinear") ? 1 : 0;
    auto found = types.find(inputOf(node, index));
    return found == types.end() ? onnx::TensorProto::FLOAT : found->second;
  }

  bool isReal(const std::string &tensor) const {
    auto found = types.find(tensor);
    return found == types.end() || found->second == onnx::TensorProto::FLOAT;
  }

  /// Returns the layer whose bias the node adds, or null.
  const onnx::NodeProto *layerOfBias(const onnx::NodeProto &node) const {
    for (const std::string &input : node.input()) {
      const onnx::NodeProto *producer = view.producer(input);
      std::optional<LinearNode> layer = producer ? linearNode(*producer, view) : std::nullopt;
      if (layer && view.onlyReader(input) && !addedBias(node, input, *layer, view).empty()) {
        return producer;
      }
    }
    return nullptr;
  }

  bool isBias(const onnx::NodeProto &node) const { return layerOfBias(node) != nullptr; }

  /// Returns whether the quantize stage can lower the op to integers if its operands are quantized.
  bool hasIntegerForm(const onnx::NodeProto &node) const {
    return linearNode(node, view) || isBound(node, view) || isAverage(node, view) ||
           isOfTwo(node, view) || isBias(node);
  }

  void findOfLayer(const onnx::NodeProto &node) {
    if (node.output_size() == 0) {
      return;
    }
    bool continues = isBound(node, view) || isBias(node);
    if (isLinear(node) || (continues && llvm::any_of(node.input(), [&](const std::string &input) {
                             return ofLayer.count(input) > 0;
                           }))) {
      ofLayer.insert(node.output(0));
    }
  }

  /// Finds the tensors that an op with an integer form reads, possibly through copies. A sum of two
  /// tensors counts only if its result is read in this way. This excludes, for example, the
  /// difference to the maximum in a softmax.
  void findFeeds(const onnx::NodeProto &node) {
    if (node.output_size() == 0) {
      return;
    }
    bool isPassage = isCopy(node, view) || isOfTwo(node, view);
    bool reaches =
        isPassage ? llvm::any_of(node.output(),
                                 [&](const std::string &output) { return feeds.count(output) > 0; })
                  : hasIntegerForm(node);
    if (!reaches) {
      return;
    }
    // The other inputs of layers and copies are weights, shapes and axes.
    bool readsAll = isOfTwo(node, view) || isOp(node, "Concat") || isBias(node);
    for (int i = 0; i < (readsAll ? node.input_size() : std::min(1, node.input_size())); ++i) {
      if (!view.initializer(node.input(i))) {
        feeds.insert(node.input(i));
      }
    }
  }

  /// Returns whether the tensor is before the bias, Relu or Clip of its only reader.
  bool isInsideLayer(const std::string &tensor) const {
    const onnx::NodeProto *reader = view.onlyReader(tensor);
    return reader && (isBound(*reader, view) || isBias(*reader));
  }

  void findActivations(const onnx::NodeProto &node) {
    for (const std::string &output : node.output()) {
      if (output.empty() || !isReal(output)) {
        continue;
      }
      bool isOfLayer = hasIntegerForm(node) && ofLayer.count(output);
      if ((isOfLayer || feeds.count(output)) && (isCopy(node, view) || !isInsideLayer(output))) {
        add(output);
      }
    }
  }

  /// Ties the results of a copy to its sources. Tensors that are no activations of the plan connect
  /// activations too: all inputs of a Concat have one scale.
  void tieCopies(const onnx::NodeProto &node) {
    if (!isCopy(node, view) || node.output_size() == 0) {
      return;
    }
    int sources = isOp(node, "Concat") ? node.input_size() : std::min(1, node.input_size());
    for (const std::string &output : node.output()) {
      for (int i = 0; i < sources && isReal(output) && !output.empty(); ++i) {
        if (!view.initializer(node.input(i))) {
          ties.unionSets(node.input(i), output);
        }
      }
    }
  }

  void add(const std::string &tensor) {
    if (indexOf.emplace(tensor, points.activations.size()).second) {
      ties.insert(tensor);
      points.activations.push_back({tensor});
    }
  }

  void findLayer(const onnx::NodeProto &node) {
    std::optional<LinearNode> linear = linearNode(node, view);
    if (!linear || node.output_size() == 0 || !isReal(node.input(0))) {
      return;
    }
    Layer layer;
    layer.node = node.name().empty() ? node.output(0) : node.name();
    layer.op = node.op_type();
    layer.input = node.input(0);
    layer.weight = linear->weight;
    layer.bias = linear->bias;
    layer.axis = linear->axis;
    layer.groups = isOp(node, "Conv") ? intAttribute(node, "group", 1) : 1;
    layer.sums = node.output(0);
    const onnx::NodeProto *reader = view.onlyReader(layer.sums);
    if (reader && layerOfBias(*reader) == &node) {
      layer.bias = addedBias(*reader, layer.sums, *linear, view);
      layer.sums = reader->output(0);
    }
    layer.output = layer.sums;
    while ((reader = view.onlyReader(layer.output)) && isBound(*reader, view)) {
      layer.output = reader->output(0);
    }
    points.layers.push_back(std::move(layer));
  }

  /// Returns the activation that a tensor copies; a Concat has several sources and ends the walk.
  std::string rootOf(std::string tensor) const {
    const onnx::NodeProto *producer = view.producer(tensor);
    while (producer && isCopy(*producer, view) && !isOp(*producer, "Concat") &&
           producer->input_size() > 0) {
      tensor = producer->input(0);
      producer = view.producer(tensor);
    }
    return tensor;
  }

  void findAddends(const onnx::NodeProto &node) {
    if (!isOfTwo(node, view) || !(isOp(node, "Add") || isOp(node, "Sum"))) {
      return;
    }
    std::string lhs = rootOf(node.input(0));
    std::string rhs = rootOf(node.input(1));
    if (lhs != rhs && indexOf.count(lhs) && indexOf.count(rhs)) {
      points.addends.emplace_back(lhs, rhs);
    }
  }

  /// Numbers the groups of tied activations in the order of their first members.
  void numberTies() {
    std::map<std::string, std::vector<Activation *>> members; // by the leader of the group
    std::vector<std::string> leaders;
    for (Activation &activation : points.activations) {
      const std::string &leader = ties.getLeaderValue(activation.tensor);
      members[leader].push_back(&activation);
      leaders.push_back(leader);
    }
    int64_t count = 0;
    for (const std::string &leader : leaders) {
      std::vector<Activation *> &group = members[leader];
      if (group.size() > 1 && group.front()->tie < 0) {
        for (Activation *member : group) {
          member->tie = count;
        }
        ++count;
      }
    }
  }

  /// Excludes 16 bits for the operands of products of two activations, whose sums have 32 bits.
  void excludeProducts() {
    for (const onnx::NodeProto &node : graph.node()) {
      for (const std::string &input : node.input()) {
        if (isOfTwo(node, view) && isOp(node, "Mul") && indexOf.count(input)) {
          exclude(indexOf.at(input));
        }
      }
    }
  }

  void exclude(size_t index) {
    int64_t tie = points.activations[index].tie;
    for (size_t i = 0; i < points.activations.size(); ++i) {
      bool isTied = tie >= 0 && points.activations[i].tie == tie;
      points.activations[i].supportsI16 &= i != index && !isTied;
    }
  }

  const onnx::GraphProto &graph;
  GraphView view;
  std::map<std::string, Type> types;
  std::set<std::string> ofLayer; // results of layers, including their bias, Relu or Clip
  std::set<std::string> feeds;   // tensors that an integer op reads
  std::map<std::string, size_t> indexOf;
  llvm::EquivalenceClasses<std::string> ties;
  Points points;
};

} // namespace

void addOutputPoints(const onnx::ModelProto &prepared, Points &points) {
  GraphView view(prepared.graph());
  auto isActivation = [&](const std::string &tensor) {
    return llvm::any_of(points.activations,
                        [&](const Activation &known) { return known.tensor == tensor; });
  };
  for (const onnx::ValueInfoProto &output : prepared.graph().output()) {
    const onnx::NodeProto *producer = view.producer(output.name());
    if (producer && isOp(*producer, "Softmax") && isActivation(producer->input(0)) &&
        !isActivation(output.name())) {
      // The scale is 1 / 256, and a probability of 1 is the largest integer.
      points.activations.push_back({output.name(), -1, true, TensorRange{0, 255.0 / 256}});
    }
  }
}

Points findPoints(const onnx::ModelProto &prepared) {
  Points points = PointFinder(prepared.graph()).find();
  return points.layers.empty() ? Points() : points;
}

} // namespace convoy::plan
