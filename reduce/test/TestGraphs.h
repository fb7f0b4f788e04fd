// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds small models for the tests of this folder.

#pragma once

#include "io/test/TestModel.h"
#include "reduce/NodeGraph.h"

namespace convoy::reduce::test {

using convoy::test::setType;

inline onnx::NodeProto &addNode(onnx::GraphProto &graph, const std::string &op,
                                const std::vector<std::string> &inputs, const std::string &output) {
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(op);
  node.set_name("node_" + output);
  for (const std::string &input : inputs) {
    node.add_input(input);
  }
  node.add_output(output);
  return node;
}

inline void addFloats(onnx::GraphProto &graph, const std::string &name,
                      const std::vector<int64_t> &dims) {
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  int64_t count = 1;
  for (int64_t size : dims) {
    tensor.add_dims(size);
    count *= size;
  }
  for (int64_t i = 0; i < count; ++i) {
    tensor.add_float_data(static_cast<float>(i) + 0.3F);
  }
}

inline onnx::ModelProto emptyModel() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  model.mutable_graph()->set_name("test");
  return model;
}

/// x -> Relu a -> Exp b -> Mul by w c -> Tanh d (output), and a + c = e (output).
inline onnx::ModelProto chain() {
  onnx::ModelProto model = emptyModel();
  onnx::GraphProto &graph = *model.mutable_graph();
  setType(*graph.add_input(), "x", onnx::TensorProto::FLOAT, {"4", "6"});
  addFloats(graph, "w", {6});
  addFloats(graph, "unused", {3});
  addNode(graph, "Relu", {"x"}, "a");
  addNode(graph, "Exp", {"a"}, "b");
  addNode(graph, "Mul", {"b", "w"}, "c");
  addNode(graph, "Tanh", {"c"}, "d");
  addNode(graph, "Add", {"a", "c"}, "e");
  setType(*graph.add_output(), "d", onnx::TensorProto::FLOAT, {"4", "6"});
  setType(*graph.add_output(), "e", onnx::TensorProto::FLOAT, {"4", "6"});
  return model;
}

/// Facts that give each value the type float32 [4, 6].
inline ValueFacts factsOf(const std::vector<std::string> &names) {
  ValueFacts facts;
  for (const std::string &name : names) {
    onnx::ValueInfoProto value;
    setType(value, name, onnx::TensorProto::FLOAT, {"4", "6"});
    facts[name].type = value.type();
  }
  return facts;
}

/// Returns the names of values, initializers or nodes, separated by blanks.
template <typename Container>
std::string namesOf(const Container &items) {
  std::string text;
  for (const auto &item : items) {
    text += (text.empty() ? "" : " ") + item.name();
  }
  return text;
}

/// "x w -> c": inputs, initializers and outputs of a model.
inline std::string interfaceOf(const onnx::ModelProto &model) {
  return namesOf(model.graph().input()) + " | " + namesOf(model.graph().initializer()) + " -> " +
         namesOf(model.graph().output());
}

} // namespace convoy::reduce::test
