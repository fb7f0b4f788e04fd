// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the models that a plan gives: quantized, with additional outputs, and with switches.

#include "QuantizePlan/WriteQdq.h"
#include "QuantizePlan/test/ParseModel.h"

using namespace convoy;
using namespace convoy::plan;
using namespace convoy::plan::test;

namespace {

struct WriteQdqTest : testing::Test {
  WriteQdqTest() { use(smallNetwork()); }

  void use(const onnx::ModelProto &from) {
    model = prepareModel(from);
    points = findPoints(model);
    plan = minMaxPlan(model, points,
                      {{"x", {-1, 1.55}}, {"r", {0, 2.55}}, {"p", {0, 2}}, {"s", {-1, 1}}},
                      ElementType::U8);
  }

  onnx::ModelProto written() {
    llvm::Expected<onnx::ModelProto> result = writeQdq(model, points, plan, fitted);
    EXPECT_TRUE(bool(result));
    return result ? *result : onnx::ModelProto();
  }

  /// Returns the domain of the node that computes a tensor, "-" for the domain of ONNX.
  static std::string domainOf(const onnx::ModelProto &model, const std::string &tensor) {
    std::string domain = producerOf(model, tensor).domain();
    return domain.empty() ? "-" : domain;
  }

  static std::vector<int64_t> integersOf(const onnx::ModelProto &model, const std::string &name) {
    const onnx::TensorProto *proto = findInitializer(model.graph(), name);
    EXPECT_NE(proto, nullptr) << name;
    std::optional<Tensor> tensor = proto ? decode(*proto) : std::nullopt;
    EXPECT_TRUE(tensor.has_value());
    Shape ints = tensor ? tensor->ints() : Shape();
    return {ints.begin(), ints.end()};
  }

  onnx::ModelProto model;
  Points points;
  Plan plan;
  FittedWeights fitted;
};

TEST_F(WriteQdqTest, TensorsKeepTheirNamesAfterTheirPair) {
  onnx::ModelProto result = written();
  EXPECT_EQ(opsOf(result), "DequantizeLinear DequantizeLinear QuantizeLinear DequantizeLinear Conv "
                           "Relu QuantizeLinear DequantizeLinear MaxPool QuantizeLinear "
                           "DequantizeLinear Conv QuantizeLinear DequantizeLinear Softmax");
  onnx::NodeProto conv = producerOf(result, "c");
  EXPECT_EQ(conv.input(0), "x_dequantized"); // an input of the graph cannot be renamed
  EXPECT_EQ(conv.input(1), "w");
  EXPECT_EQ(producerOf(result, "w").op_type(), "DequantizeLinear");
  EXPECT_EQ(producerOf(result, "r_float").op_type(), "Relu");
  EXPECT_EQ(producerOf(result, "p_float").input(0), "r");
  EXPECT_EQ(integersOf(result, "w_quantized"), (std::vector<int64_t>{127, -127}));
  EXPECT_EQ(integersOf(result, "x_zero_point"), (std::vector<int64_t>{100}));
  EXPECT_EQ(findInitializer(result.graph(), "w"), nullptr);
  EXPECT_EQ(domainOf(result, "w"), "-");
}

TEST_F(WriteQdqTest, OldOpsetsUseTheFormsOfOnnxRuntime) {
  for (auto [opset, activations, weights] :
       {std::tuple(9, "com.microsoft", "com.microsoft"), std::tuple(12, "-", "com.microsoft"),
        std::tuple(13, "-", "-")}) {
    use(smallNetwork(opset));
    onnx::ModelProto result = written();
    EXPECT_EQ(domainOf(result, "r"), activations) << opset;
    EXPECT_EQ(domainOf(result, "w"), weights) << opset;
    EXPECT_EQ(result.opset_import_size(), opset == 13 ? 1 : 2);
    EXPECT_EQ(result.opset_import(0).version(), opset);
  }
}

TEST_F(WriteQdqTest, OnnxRuntimeNeedsAddedBiasesBelowOpset11) {
  use(smallNetwork(10));
  onnx::ModelProto result = written();
  EXPECT_EQ(producerOf(result, "c").op_type(), "Add");
  EXPECT_EQ(producerOf(result, "c").input(1), "b_added");
  EXPECT_EQ(producerOf(result, "c_product").input_size(), 2);
  EXPECT_EQ(findInitializer(result.graph(), "b"), nullptr);
  EXPECT_EQ(shapeOf(result, "b_added"), (std::vector<int64_t>{2, 1, 1}));
  EXPECT_EQ(floatsOf(result, "b_added"), (std::vector<float>{0.25F, 0.5F}));
  EXPECT_EQ(producerOf(result, "s_float").op_type(), "Conv"); // becomes QLinearConv
  use(smallNetwork(9));
  EXPECT_EQ(producerOf(written(), "s_float").op_type(), "Add");
  EXPECT_EQ(floatsOf(written(), "v_bias_added"), (std::vector<float>{0, 0}));
  use(smallNetwork(11));
  EXPECT_EQ(producerOf(written(), "c").op_type(), "Conv");
}

TEST_F(WriteQdqTest, AGemmBelowOpset11BecomesAProductAndAnAdd) {
  use(parse(R"((float[1, 2] x) => (float[1, 3] y)
      <float[3, 2] w = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, float[3] b = {1.0, 2.0, 3.0}>
      { s = Gemm <transB = 1> (x, w, b) y = Exp (s) })",
            9));
  EXPECT_EQ(opsOf(written()), "DequantizeLinear QuantizeLinear DequantizeLinear Transpose MatMul "
                              "Add QuantizeLinear DequantizeLinear Exp");
  EXPECT_EQ(producerOf(written(), "s_product").input(1), "w_transposed");
  EXPECT_EQ(producerOf(written(), "s_float").input(1), "b_added");
}

TEST_F(WriteQdqTest, SixteenAndFourBitsNeedOpset21) {
  for (auto [opset, domain] : {std::pair(20, "com.microsoft"), std::pair(21, "-")}) {
    use(smallNetwork(opset));
    plan.findActivation("x")->type = ElementType::I16;
    setRange(*plan.findActivation("x"), {-1, 1});
    *plan.findWeights("v") = weightPlan(model, points.layers[1], ElementType::I4);
    onnx::ModelProto result = written();
    EXPECT_EQ(domainOf(result, "x_dequantized"), domain);
    EXPECT_EQ(domainOf(result, "v"), domain);
    EXPECT_EQ(domainOf(result, "r"), "-");
    EXPECT_EQ(integersOf(result, "v_quantized"), (std::vector<int64_t>{4, 7, 0, -7}));
    EXPECT_EQ(findInitializer(result.graph(), "v_quantized")->raw_data(), "\x74\x90");
  }
}

TEST_F(WriteQdqTest, FloatTensorsStay) {
  for (ActivationPlan &activation : plan.activations) {
    activation.type = ElementType::F32;
  }
  for (WeightPlan &weights : plan.weights) {
    weights.type = ElementType::F32;
  }
  EXPECT_EQ(written().SerializeAsString(), model.SerializeAsString());
}

TEST_F(WriteQdqTest, FittedIntegersAndBiasesReplaceTheModels) {
  fitted.integers["w"] = {3, -4};
  fitted.biases["b"] = {1, 2};
  fitted.biases["v"] = {3, 4}; // a layer without bias is named by its weights
  onnx::ModelProto result = written();
  EXPECT_EQ(integersOf(result, "w_quantized"), (std::vector<int64_t>{3, -4}));
  EXPECT_EQ(floatsOf(result, "b"), (std::vector<float>{1, 2}));
  EXPECT_EQ(producerOf(result, "s_float").input(2), "v_bias");
  EXPECT_EQ(floatsOf(result, "v_bias"), (std::vector<float>{3, 4}));
}

TEST_F(WriteQdqTest, AProductGetsItsBiasFromAnAdd) {
  use(parse(R"((float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {1.0, 2.0, 3.0, 4.0}>
      { s = MatMul (x, w) y = Exp (s) })"));
  fitted.biases["w"] = {3, 4};
  onnx::ModelProto result = written();
  EXPECT_EQ(producerOf(result, "s_float").op_type(), "Add");
  EXPECT_EQ(producerOf(result, "s_product").op_type(), "MatMul");
}

TEST_F(WriteQdqTest, APlanThatDoesNotFitIsAnError) {
  plan.activations[0].tensor = "unknown";
  llvm::Expected<onnx::ModelProto> result = writeQdq(model, points, plan, fitted);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "plan: activation 'unknown' is not in the model; the plan of another model has "
            "other tensors");
  Switches switches;
  llvm::Expected<onnx::ModelProto> switched = addSwitches(model, points, plan, fitted, switches);
  EXPECT_FALSE(bool(switched));
  llvm::consumeError(switched.takeError());
}

TEST_F(WriteQdqTest, AdditionalOutputsFollowTheModels) {
  onnx::ModelProto result = addOutputs(model, {"x", "c", "y", "c"});
  std::string names;
  for (const onnx::ValueInfoProto &output : result.graph().output()) {
    names += output.name() + " ";
  }
  EXPECT_EQ(names, "y x_observed c y_observed c_observed ");
  EXPECT_EQ(producerOf(result, "x_observed").input(0), "x");
  EXPECT_FALSE(result.graph().output(1).type().tensor_type().has_shape());
}

TEST_F(WriteQdqTest, IntegerEndsHaveNoPairAndTheTypesOfThePlan) {
  use(parse(R"((float[1, 2] x) => (float[1, 2] y, float[1, 2] z)
      <float[2, 2] w = {1.0, 2.0, 3.0, 4.0}>
      { y = MatMul (x, w) z = Exp (y) })"));
  plan = minMaxPlan(model, points, {{"x", {-1, 1.55}}, {"y", {0, 2.55}}}, ElementType::I8);
  onnx::ModelProto result = written();
  makeEndsInteger(result);
  EXPECT_EQ(opsOf(result), "DequantizeLinear DequantizeLinear MatMul QuantizeLinear "
                           "DequantizeLinear Exp");
  auto typeOf = [](const onnx::ValueInfoProto &end) {
    return end.type().tensor_type().elem_type();
  };
  EXPECT_EQ(typeOf(result.graph().input(0)), onnx::TensorProto::INT8);
  EXPECT_EQ(typeOf(result.graph().output(0)), onnx::TensorProto::INT8);
  EXPECT_EQ(typeOf(result.graph().output(1)), onnx::TensorProto::FLOAT);
  EXPECT_EQ(producerOf(result, "x_dequantized").input(0), "x");
  EXPECT_EQ(producerOf(result, "y").op_type(), "QuantizeLinear");
  EXPECT_EQ(producerOf(result, "z").input(0), "y_dequantized");
  EXPECT_EQ(producerOf(result, "y_dequantized").input(0), "y");
}

TEST_F(WriteQdqTest, AnOutputOfSoftmaxHasTheScaleOfProbabilities) {
  addOutputPoints(model, points);
  ASSERT_EQ(points.activations.back().tensor, "y");
  ASSERT_TRUE(points.activations.back().range);
  ActivationPlan &output = plan.activations.emplace_back();
  output.tensor = "y";
  output.type = ElementType::I8;
  setRange(output, *points.activations.back().range);
  EXPECT_EQ(output.scale, 1.0F / 256);
  EXPECT_EQ(output.zeroPoint, -128);
  onnx::ModelProto result = written();
  makeEndsInteger(result);
  EXPECT_EQ(producerOf(result, "y").op_type(), "QuantizeLinear");
  EXPECT_EQ(producerOf(result, "y_float").op_type(), "Softmax");
  addOutputPoints(model, points); // adds an output once
  EXPECT_EQ(points.activations.size(), 5U);
}

TEST_F(WriteQdqTest, EveryTensorHasASwitch) {
  plan.findActivation("s")->type = ElementType::F32;
  fitted.biases["b"] = {1, 2};
  Switches switches;
  llvm::Expected<onnx::ModelProto> result = addSwitches(model, points, plan, fitted, switches);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(switches.tensors, (std::vector<std::string>{"x", "r", "p", "w", "v"}));
  EXPECT_EQ(switches.inputs[1], "r_switch");
  EXPECT_EQ(result->graph().input_size(), 6);
  EXPECT_EQ(result->graph().input(1).name(), "x_switch");
  onnx::NodeProto sum = producerOf(*result, "r");
  EXPECT_EQ(sum.op_type() + " " + sum.input(0) + " " + sum.input(1), "Add r_float r_part");
  onnx::NodeProto part = producerOf(*result, "r_part");
  EXPECT_EQ(part.op_type() + " " + part.input(0) + " " + part.input(1),
            "Mul r_difference r_switch");
  EXPECT_EQ(producerOf(*result, "r_difference").input(0), "r_rounded");
  // The bias follows the switch of the weights.
  EXPECT_EQ(producerOf(*result, "b_part").input(1), "w_switch");
  EXPECT_EQ(floatsOf(*result, "b_difference"), (std::vector<float>{0.75F, 1.5F}));
}

} // namespace
