// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the types and constants that the importer finds.

#include "QuantizePlan/Initializers.h"
#include "reduce/CollectFacts.h"
#include "reduce/test/TestGraphs.h"
#include <gmock/gmock.h>

using namespace convoy;
using namespace convoy::reduce;
using namespace convoy::reduce::test;
using testing::ElementsAre;

namespace {

std::vector<int64_t> shapeOf(const ValueFacts &facts, const std::string &name) {
  std::vector<int64_t> shape;
  auto fact = facts.find(name);
  if (fact != facts.end()) {
    for (const auto &dim : fact->second.type.tensor_type().shape().dim()) {
      shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    }
  }
  return shape;
}

/// x [n, 6] -> Shape s -> Gather dimension 0 -> k; Relu a.
onnx::ModelProto withShape() {
  onnx::ModelProto model = emptyModel();
  onnx::GraphProto &graph = *model.mutable_graph();
  setType(*graph.add_input(), "x", onnx::TensorProto::FLOAT, {"n", "6"});
  onnx::TensorProto &zero = *graph.add_initializer();
  zero.set_name("zero");
  zero.set_data_type(onnx::TensorProto::INT64);
  zero.add_int64_data(0);
  addNode(graph, "Shape", {"x"}, "s");
  addNode(graph, "Gather", {"s", "zero"}, "k");
  addNode(graph, "Relu", {"x"}, "a");
  for (const char *name : {"k", "a"}) {
    graph.add_output()->set_name(name);
  }
  return model;
}

TEST(CollectFacts, FindsTypesAndConstants) {
  InputPins pins;
  pins.dims["n"] = 4;
  ValueFacts facts = collectFacts(withShape(), pins);
  EXPECT_THAT(shapeOf(facts, "x"), ElementsAre(4, 6));
  EXPECT_THAT(shapeOf(facts, "a"), ElementsAre(4, 6));
  EXPECT_FALSE(facts["a"].constant);
  ASSERT_TRUE(facts["s"].constant);
  std::optional<Tensor> shape = plan::decode(*facts["s"].constant);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->data<int64_t>()[0], 4);
  EXPECT_TRUE(facts["k"].constant);
}

TEST(CollectFacts, ImportsThePrefixOfAModelThatCannotBeImported) {
  onnx::ModelProto model = withShape();
  addNode(*model.mutable_graph(), "NoSuchOp", {"a"}, "b");
  addNode(*model.mutable_graph(), "Relu", {"b"}, "c");
  addNode(*model.mutable_graph(), "Relu", {"c"}, "d");
  setType(*model.mutable_graph()->add_value_info(), "c", onnx::TensorProto::FLOAT, {"4", "6"});
  InputPins pins;
  pins.dims["n"] = 4;
  ValueFacts facts = collectFacts(model, pins);
  EXPECT_THAT(shapeOf(facts, "a"), ElementsAre(4, 6));
  EXPECT_EQ(facts.count("b"), 0U);
  EXPECT_THAT(shapeOf(facts, "c"), ElementsAre(4, 6)); // declared
  EXPECT_EQ(facts.count("d"), 0U);
}

} // namespace
