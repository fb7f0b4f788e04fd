// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexes the nodes of a graph by the values that they compute and read, and builds the models of
// cuts.

#include "reduce/NodeGraph.h"
#include "Support/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace convoy::reduce {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

// Larger messages cannot be written as one ONNX file.
constexpr size_t kMaxModelBytes = size_t(2000) << 20;

/// Collects the names that nodes read from outside.
class ReadCollector {
public:
  void addNodes(const Nodes &nodes) {
    for (const onnx::NodeProto &node : nodes) {
      addNode(node);
      for (const std::string &output : node.output()) {
        known.insert(output);
      }
    }
  }

  void addNode(const onnx::NodeProto &node) {
    for (const std::string &input : node.input()) {
      addRead(input);
    }
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g()) {
        addBody(attribute.g());
      }
      for (const onnx::GraphProto &graph : attribute.graphs()) {
        addBody(graph);
      }
    }
  }

  std::vector<std::string> reads;

private:
  void addRead(const std::string &name) {
    if (!name.empty() && !known.count(name) && seen.insert(name).second) {
      reads.push_back(name);
    }
  }

  /// A body sees the values around it; its own values end with it.
  void addBody(const onnx::GraphProto &graph) {
    std::set<std::string> outside = known;
    for (const onnx::ValueInfoProto &input : graph.input()) {
      known.insert(input.name());
    }
    for (const onnx::TensorProto &tensor : graph.initializer()) {
      known.insert(tensor.name());
    }
    addNodes(graph.node());
    for (const onnx::ValueInfoProto &output : graph.output()) {
      addRead(output.name());
    }
    known = std::move(outside);
  }

  std::set<std::string> known, seen;
};

bool isOpen(const onnx::TypeProto &type) {
  return !type.tensor_type().has_shape() ||
         llvm::any_of(type.tensor_type().shape().dim(),
                      [](const auto &dim) { return !dim.has_dim_value(); });
}

onnx::ValueInfoProto valueInfo(const std::string &name, const onnx::TypeProto &type) {
  onnx::ValueInfoProto value;
  value.set_name(name);
  *value.mutable_type() = type;
  return value;
}

/// Returns what all cuts of a model share.
onnx::ModelProto emptyCopy(const onnx::ModelProto &model) {
  onnx::ModelProto copy;
  copy.set_ir_version(model.ir_version());
  copy.set_producer_name("convoy reduce");
  *copy.mutable_opset_import() = model.opset_import();
  *copy.mutable_functions() = model.functions();
  copy.mutable_graph()->set_name("reduced");
  return copy;
}

/// The inputs and initializers of a cut.
class CutInputs {
public:
  CutInputs(const onnx::GraphProto &graph, const std::map<std::string, int> &initializers,
            const ValueFacts &facts, onnx::GraphProto &result)
      : graph(graph), initializers(initializers), facts(facts), result(result) {}

  /// Adds a value that no kept node computes. Returns false if its type is not known.
  bool add(const std::string &name) {
    if (!added.insert(name).second) {
      return true;
    }
    auto initializer = initializers.find(name);
    if (initializer != initializers.end()) {
      *result.add_initializer() = graph.initializer(initializer->second);
      return true;
    }
    auto fact = facts.find(name);
    if (fact != facts.end() && fact->second.constant) {
      *result.add_initializer() = *fact->second.constant;
      return true;
    }
    const onnx::ValueInfoProto *input = findInput(name);
    if (fact != facts.end() && (input || !isOpen(fact->second.type))) {
      *result.add_input() = valueInfo(name, fact->second.type);
      return true;
    }
    if (input) {
      *result.add_input() = *input;
    }
    return input != nullptr;
  }

private:
  const onnx::ValueInfoProto *findInput(const std::string &name) const {
    for (const onnx::ValueInfoProto &input : graph.input()) {
      if (input.name() == name) {
        return &input;
      }
    }
    return nullptr;
  }

  const onnx::GraphProto &graph;
  const std::map<std::string, int> &initializers;
  const ValueFacts &facts;
  onnx::GraphProto &result;
  std::set<std::string> added;
};

} // namespace

std::vector<std::string> outerReads(const Nodes &nodes) {
  ReadCollector collector;
  collector.addNodes(nodes);
  return std::move(collector.reads);
}

NodeGraph::NodeGraph(onnx::ModelProto model) : proto(std::move(model)) {
  const onnx::GraphProto &graph = proto.graph();
  for (int i = 0; i < graph.initializer_size(); ++i) {
    initializers[graph.initializer(i).name()] = i;
  }
  for (const onnx::ValueInfoProto &output : graph.output()) {
    outputs.insert(output.name());
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    ReadCollector collector;
    collector.addNode(graph.node(i));
    auto number = static_cast<size_t>(i);
    for (const std::string &name : collector.reads) {
      readers[name].push_back(number);
    }
    for (const std::string &name : graph.node(i).output()) {
      producers[name] = number;
    }
    readsOf.push_back(std::move(collector.reads));
  }
}

NodeSet NodeGraph::all() const {
  NodeSet nodes(size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i] = i;
  }
  return nodes;
}

NodeSet NodeGraph::neighbors(size_t node) const {
  std::set<size_t> found;
  for (const std::string &name : readsOf[node]) {
    auto producer = producers.find(name);
    if (producer != producers.end()) {
      found.insert(producer->second);
    }
  }
  for (const std::string &name : proto.graph().node(static_cast<int>(node)).output()) {
    auto reading = readers.find(name);
    if (reading != readers.end()) {
      found.insert(reading->second.begin(), reading->second.end());
    }
  }
  return {found.begin(), found.end()};
}

NodeSet NodeGraph::named(llvm::StringRef name) const {
  NodeSet found;
  for (size_t i = 0; i < size(); ++i) {
    const onnx::NodeProto &node = proto.graph().node(static_cast<int>(i));
    bool isUnnamed = node.name().empty() && node.output_size() > 0;
    if (name == llvm::StringRef(isUnnamed ? node.output(0) : node.name())) {
      found.push_back(i);
    }
  }
  return found;
}

std::optional<onnx::ModelProto> NodeGraph::cut(llvm::ArrayRef<size_t> kept,
                                               const ValueFacts &facts) const {
  onnx::ModelProto model = emptyCopy(proto);
  onnx::GraphProto &graph = *model.mutable_graph();
  std::set<std::string> computed, read;
  for (size_t node : kept) {
    *graph.add_node() = proto.graph().node(static_cast<int>(node));
    computed.insert(graph.node().rbegin()->output().begin(), graph.node().rbegin()->output().end());
    read.insert(readsOf[node].begin(), readsOf[node].end());
  }
  CutInputs inputs(proto.graph(), initializers, facts, graph);
  for (size_t node : kept) {
    for (const std::string &name : readsOf[node]) {
      if (!computed.count(name) && !inputs.add(name)) {
        return std::nullopt;
      }
    }
  }
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &name : node.output()) {
      bool isUsed = outputs.count(name) || readers.count(name) || node.output_size() == 1;
      if (!name.empty() && isUsed && (!read.count(name) || outputs.count(name))) {
        auto fact = facts.find(name);
        *graph.add_output() =
            valueInfo(name, fact == facts.end() ? onnx::TypeProto() : fact->second.type);
      }
    }
  }
  removeUnused(model);
  bool isPossible = graph.output_size() > 0 && model.ByteSizeLong() <= kMaxModelBytes;
  return isPossible ? std::optional(std::move(model)) : std::nullopt;
}

} // namespace convoy::reduce
