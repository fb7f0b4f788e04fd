// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests what cuts keep and which inputs, initializers and outputs they get.

#include "QuantizePlan/Initializers.h"
#include "reduce/test/TestGraphs.h"
#include <gmock/gmock.h>

using namespace convoy::reduce;
using namespace convoy::reduce::test;
using testing::ElementsAre;

namespace {

TEST(NodeGraph, TurnsBoundariesIntoInputsAndOutputs) {
  NodeGraph graph(chain());
  ValueFacts facts = factsOf({"x", "a", "b", "c", "d", "e"});
  std::optional<onnx::ModelProto> middle = graph.cut({1, 2}, facts);
  ASSERT_TRUE(middle);
  EXPECT_EQ(interfaceOf(*middle), "a | w -> c");
  EXPECT_EQ(middle->graph().input(0).type().tensor_type().shape().dim(1).dim_value(), 6);
  EXPECT_EQ(interfaceOf(*graph.cut({0}, facts)), "x |  -> a");
  EXPECT_EQ(interfaceOf(*graph.cut({2, 4}, facts)), "b a | w -> e");
  EXPECT_EQ(interfaceOf(*graph.cut(graph.all(), facts)), "x | w -> d e");
}

TEST(NodeGraph, NeedsTheTypeOfANewInput) {
  NodeGraph graph(chain());
  EXPECT_FALSE(graph.cut({1, 2}, factsOf({"b"})));
  EXPECT_TRUE(graph.cut({0, 1}, {})); // an input of the model has a type
  ValueFacts open = factsOf({"a"});
  open["a"].type.mutable_tensor_type()->mutable_shape()->mutable_dim(0)->clear_dim_value();
  EXPECT_FALSE(graph.cut({1}, open));
}

TEST(NodeGraph, KeepsAnOutputThatANodeReads) {
  onnx::ModelProto model = chain();
  setType(*model.mutable_graph()->add_output(), "c", onnx::TensorProto::FLOAT, {"4", "6"});
  NodeGraph graph(model);
  EXPECT_EQ(interfaceOf(*graph.cut({2, 3}, factsOf({"b"}))), "b | w -> c d");
}

TEST(NodeGraph, TurnsAKnownValueIntoAnInitializer) {
  NodeGraph graph(chain());
  ValueFacts facts = factsOf({"b"});
  onnx::ModelProto holder = emptyModel();
  addFloats(*holder.mutable_graph(), "b", {4, 6});
  facts["b"].constant = holder.graph().initializer(0);
  EXPECT_EQ(interfaceOf(*graph.cut({2}, facts)), " | b w -> c");
}

TEST(NodeGraph, FindsNodesByNameOrFirstOutput) {
  onnx::ModelProto model = chain();
  model.mutable_graph()->mutable_node(3)->clear_name();
  NodeGraph graph(model);
  EXPECT_THAT(graph.named("node_b"), ElementsAre(1));
  EXPECT_THAT(graph.named("d"), ElementsAre(3));
  EXPECT_TRUE(graph.named("node_d").empty());
  EXPECT_THAT(graph.neighbors(0), ElementsAre(1, 4));
  EXPECT_THAT(graph.neighbors(2), ElementsAre(1, 3, 4));
}

/// An If whose branch reads `c` of the outer graph.
onnx::ModelProto branching() {
  onnx::ModelProto model = chain();
  onnx::GraphProto &graph = *model.mutable_graph();
  setType(*graph.add_input(), "condition", onnx::TensorProto::BOOL, {});
  onnx::NodeProto &node = addNode(graph, "If", {"condition"}, "f");
  for (const char *branch : {"then_branch", "else_branch"}) {
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(branch);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    onnx::GraphProto &body = *attribute.mutable_g();
    addFloats(body, "w", {6}); // hides the outer w
    addNode(body, "Mul", {"c", "w"}, std::string(branch) + "_inner");
    addNode(body, "Neg", {std::string(branch) + "_inner"}, std::string(branch) + "_result");
    body.add_output()->set_name(std::string(branch) + "_result");
  }
  setType(*graph.add_output(), "f", onnx::TensorProto::FLOAT, {"4", "6"});
  return model;
}

TEST(NodeGraph, ABodyReadsValuesOfTheOuterGraph) {
  NodeGraph graph(branching());
  EXPECT_THAT(graph.reads(5), ElementsAre("condition", "c"));
  std::optional<onnx::ModelProto> cut = graph.cut({5}, factsOf({"c"}));
  ASSERT_TRUE(cut);
  EXPECT_EQ(interfaceOf(*cut), "condition c |  -> f");
}

TEST(Normalize, MakesConstantsInitializersAndRemovesTexts) {
  onnx::ModelProto model = chain();
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_doc_string("private");
  onnx::NodeProto &constant = addNode(graph, "Constant", {}, "k");
  onnx::AttributeProto &value = *constant.add_attribute();
  value.set_name("value_ints");
  value.add_ints(4);
  value.add_ints(6);
  addNode(graph, "Reshape", {"e", "k"}, "r").set_doc_string("private");
  model.add_metadata_props()->set_key("private");
  llvm::Expected<onnx::ModelProto> normal = normalize(model, "");
  ASSERT_TRUE(static_cast<bool>(normal));
  EXPECT_EQ(normal->graph().node_size(), 6);
  EXPECT_EQ(namesOf(normal->graph().initializer()), "w unused k");
  std::optional<convoy::Tensor> shape = convoy::plan::decode(normal->graph().initializer(2));
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->size(), 2);
  EXPECT_EQ(shape->asInt(1), 6);
  EXPECT_EQ(normal->SerializeAsString().find("private"), std::string::npos);
}

TEST(Normalize, ReadsExternalData) {
  convoy::test::TemporaryFolder folder;
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  folder.write("w.bin", llvm::StringRef(reinterpret_cast<const char *>(values.data()), 24));
  onnx::ModelProto model = chain();
  onnx::TensorProto &tensor = *model.mutable_graph()->mutable_initializer(0);
  tensor.clear_float_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto &entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("w.bin");
  llvm::Expected<onnx::ModelProto> normal = normalize(model, folder.path());
  ASSERT_TRUE(static_cast<bool>(normal));
  EXPECT_EQ(normal->graph().initializer(0).raw_data().size(), 24U);
  EXPECT_EQ(normal->graph().initializer(0).data_location(), onnx::TensorProto::DEFAULT);
  llvm::Expected<onnx::ModelProto> missing = normalize(model, "/nowhere");
  EXPECT_FALSE(static_cast<bool>(missing));
  llvm::consumeError(missing.takeError());
}

TEST(RemoveUnused, KeepsFunctionsThatNodesCall) {
  onnx::ModelProto model = chain();
  for (const char *name : {"Outer", "Inner", "Other"}) {
    onnx::FunctionProto &function = *model.add_functions();
    function.set_domain("test");
    function.set_name(name);
  }
  onnx::NodeProto &call = *model.mutable_functions(0)->add_node();
  call.set_domain("test");
  call.set_op_type("Inner");
  onnx::NodeProto &node = addNode(*model.mutable_graph(), "Outer", {"a"}, "f");
  node.set_domain("test");
  for (const char *domain : {"test", "unused.domain"}) {
    model.add_opset_import()->set_domain(domain);
  }
  removeUnused(model);
  EXPECT_EQ(namesOf(model.functions()), "Outer Inner");
  EXPECT_EQ(namesOf(model.graph().initializer()), "w");
  ASSERT_EQ(model.opset_import_size(), 2);
  EXPECT_EQ(model.opset_import(1).domain(), "test");
}

} // namespace
