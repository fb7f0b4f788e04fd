// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the edits of sizes, weights and attributes.

#include "QuantizePlan/Initializers.h"
#include "reduce/ShrinkValues.h"
#include "reduce/test/TestGraphs.h"
#include <gmock/gmock.h>

using namespace convoy;
using namespace convoy::reduce;
using namespace convoy::reduce::test;
using testing::ElementsAre;

namespace {

bool always(const onnx::ModelProto &) { return true; }

/// A product of x [8, 24] and w [24, 5], reshaped to [40].
onnx::ModelProto product() {
  onnx::ModelProto model = emptyModel();
  onnx::GraphProto &graph = *model.mutable_graph();
  setType(*graph.add_input(), "x", onnx::TensorProto::FLOAT, {"8", "24"});
  addFloats(graph, "w", {24, 5});
  onnx::TensorProto &shape = *graph.add_initializer();
  shape.set_name("shape");
  shape.set_data_type(onnx::TensorProto::INT64);
  shape.add_dims(2);
  shape.add_int64_data(5);
  shape.add_int64_data(8);
  addNode(graph, "MatMul", {"x", "w"}, "a");
  addNode(graph, "Reshape", {"a", "shape"}, "b");
  setType(*graph.add_output(), "b", onnx::TensorProto::FLOAT, {"5", "8"});
  return model;
}

std::vector<int64_t> dimsOf(const onnx::ModelProto &model, int i) {
  const auto &dims = model.graph().initializer(i).dims();
  return {dims.begin(), dims.end()};
}

TEST(Resized, ChangesEqualSizesTogether) {
  std::optional<onnx::ModelProto> model = resized(product(), 24, 2, false);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->graph().input(0).type().tensor_type().shape().dim(1).dim_value(), 2);
  EXPECT_THAT(dimsOf(*model, 0), ElementsAre(2, 5));
  model = resized(*model, 5, 3, false);
  ASSERT_TRUE(model);
  EXPECT_THAT(dimsOf(*model, 0), ElementsAre(2, 3));
  std::optional<Tensor> weights = plan::decode(model->graph().initializer(0));
  ASSERT_TRUE(weights);
  EXPECT_FLOAT_EQ(weights->data<float>()[3], 5.3F); // row 1, column 0 of the original
  std::optional<Tensor> shape = plan::decode(model->graph().initializer(1));
  ASSERT_TRUE(shape);
  EXPECT_THAT(std::vector<int64_t>(shape->data<int64_t>(), shape->data<int64_t>() + 2),
              ElementsAre(3, 8));
  EXPECT_FALSE(model->graph().output(0).type().tensor_type().has_shape());
}

TEST(Resized, ChangesAttributesOnRequest) {
  onnx::ModelProto model = product();
  onnx::AttributeProto &attribute = *model.mutable_graph()->mutable_node(0)->add_attribute();
  attribute.set_name("hidden_size");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(24);
  EXPECT_EQ(resized(model, 24, 2, false)->graph().node(0).attribute(0).i(), 24);
  EXPECT_EQ(resized(model, 24, 2, true)->graph().node(0).attribute(0).i(), 2);
}

TEST(ShrinkSizes, TakesTheSmallestSizeThatFails) {
  onnx::ModelProto model = product();
  EXPECT_TRUE(shrinkSizes(model, [](const onnx::ModelProto &candidate) {
    return candidate.graph().initializer(0).dims(0) >= 4; // 24 can become 4
  }));
  EXPECT_THAT(dimsOf(model, 0), ElementsAre(4, 1));
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(0).dim_value(), 1);
}

TEST(GenerateWeights, ReplacesFloatsAndKeepsIntegers) {
  onnx::ModelProto model = product();
  EXPECT_EQ(countGenerated(model), std::pair(size_t(0), size_t(1)));
  EXPECT_TRUE(generateWeights(model, always));
  EXPECT_EQ(countGenerated(model), std::pair(size_t(1), size_t(1)));
  EXPECT_EQ(model.graph().initializer(1).int64_data(0), 5);
  std::optional<Tensor> weights = plan::decode(model.graph().initializer(0));
  ASSERT_TRUE(weights);
  EXPECT_FLOAT_EQ(weights->data<float>()[0], -0.625F);
}

TEST(GenerateWeights, MakesVectorsPositive) {
  onnx::ModelProto model = chain();
  EXPECT_TRUE(generateWeights(model, always));
  std::optional<Tensor> weights = plan::decode(model.graph().initializer(0));
  ASSERT_TRUE(weights);
  for (int64_t i = 0; i < weights->size(); ++i) {
    EXPECT_GT(weights->data<float>()[i], 0);
  }
}

TEST(DropAttributes, KeepsTheNecessaryOnes) {
  onnx::ModelProto model = product();
  for (const char *name : {"first", "second", "third"}) {
    model.mutable_graph()->mutable_node(0)->add_attribute()->set_name(name);
  }
  EXPECT_TRUE(dropAttributes(model, [](const onnx::ModelProto &candidate) {
    return namesOf(candidate.graph().node(0).attribute()).find("second") != std::string::npos;
  }));
  EXPECT_EQ(namesOf(model.graph().node(0).attribute()), "second");
}

} // namespace
