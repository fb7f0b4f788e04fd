// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests scales and zero points: of ranges, and of the plan of `--calibrate`.

#include "QuantizePlan/test/ParseModel.h"
#include <cmath>

using namespace convoy;
using namespace convoy::plan;
using namespace convoy::plan::test;

namespace {

TEST(SetRange, UnsignedBytesAreAsymmetricAndContainZero) {
  ActivationPlan plan;
  setRange(plan, {-1, 1.55});
  EXPECT_FLOAT_EQ(plan.scale, 0.01F);
  EXPECT_EQ(plan.zeroPoint, 100);
  setRange(plan, {2, 2.55});
  EXPECT_FLOAT_EQ(plan.scale, 0.01F);
  EXPECT_EQ(plan.zeroPoint, 0);
  setRange(plan, {0, 0});
  EXPECT_EQ(plan.scale, 1);
}

TEST(SetRange, SignedBytesHaveTheStepsOfUnsignedBytes) {
  ActivationPlan plan;
  plan.type = ElementType::I8;
  setRange(plan, {-1, 1.55});
  EXPECT_FLOAT_EQ(plan.scale, 0.01F);
  EXPECT_EQ(plan.zeroPoint, -28);
  setRange(plan, {0, 2.55});
  EXPECT_EQ(plan.zeroPoint, -128);
}

TEST(SetRange, WideIntegersAreSymmetric) {
  ActivationPlan plan;
  plan.type = ElementType::I16;
  setRange(plan, {-1, 32.767});
  EXPECT_FLOAT_EQ(plan.scale, 0.001F);
  EXPECT_EQ(plan.zeroPoint, 0);
}

TEST(MinMaxPlan, TiedTensorsHaveTheRangeOfAll) {
  onnx::ModelProto model = prepareModel(smallNetwork());
  Plan plan = minMaxPlan(model, findPoints(model),
                         {{"x", {-1, 1.55}}, {"r", {0, 2.55}}, {"p", {0.5, 2}}, {"s", {0, 1}}},
                         ElementType::U8);
  ASSERT_EQ(plan.activations.size(), 4U);
  EXPECT_EQ(plan.findActivation("x")->zeroPoint, 100);
  EXPECT_FLOAT_EQ(plan.findActivation("r")->scale, 0.01F);
  EXPECT_EQ(plan.findActivation("p")->scale, plan.findActivation("r")->scale);
  EXPECT_EQ(plan.findActivation("p")->tie, plan.findActivation("r")->tie);
  EXPECT_EQ(plan.findActivation("absent"), nullptr);
  ASSERT_EQ(plan.weights.size(), 2U);
  const WeightPlan *weights = plan.findWeights("w");
  ASSERT_EQ(weights->scales.size(), 2U);
  EXPECT_FLOAT_EQ(weights->scales[0], 0.01F);
  EXPECT_FLOAT_EQ(weights->scales[1], 0.5F / 127);
}

TEST(MinMaxPlan, SignedBytesShiftTheZeroPoint) {
  onnx::ModelProto model = prepareModel(smallNetwork());
  std::map<std::string, TensorRange> ranges = {
      {"x", {-1, 1.55}}, {"r", {0, 2.55}}, {"p", {0.5, 2}}, {"s", {0, 1}}};
  Plan plan = minMaxPlan(model, findPoints(model), ranges, ElementType::I8);
  EXPECT_EQ(plan.findActivation("x")->type, ElementType::I8);
  EXPECT_FLOAT_EQ(plan.findActivation("x")->scale, 0.01F);
  EXPECT_EQ(plan.findActivation("x")->zeroPoint, -28);
  EXPECT_EQ(plan.findActivation("r")->zeroPoint, -128);
}

TEST(MinMaxPlan, ATensorWithoutRangeStaysFloatAndSoDoTheWeightsOfItsLayer) {
  onnx::ModelProto model = prepareModel(smallNetwork());
  Plan plan =
      minMaxPlan(model, findPoints(model), {{"r", {0, 2.55}}, {"s", {0, 0}}}, ElementType::U8);
  EXPECT_EQ(plan.findActivation("x")->type, ElementType::F32);
  EXPECT_EQ(plan.findActivation("x")->reason, "no sample reaches it");
  EXPECT_EQ(plan.findActivation("s")->reason, "has no finite range above zero on the samples");
  ASSERT_EQ(plan.weights.size(), 1U);
  EXPECT_EQ(plan.weights[0].tensor, "v");
}

TEST(MinMaxPlan, ScalesOfAddendsDifferByAPowerOfTwo) {
  onnx::ModelProto model = prepareModel(parse(R"((float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y)
      <float[1, 1, 1, 1] w = {1.0}>
      {
        a = Conv (x, w)
        b = Conv (a, w)
        s = Add (a, b)
        y = Conv (s, w)
      })"));
  Plan plan =
      minMaxPlan(model, findPoints(model),
                 {{"x", {0, 1}}, {"a", {0, 1}}, {"b", {-2, 3}}, {"s", {0, 4}}, {"y", {0, 1}}},
                 ElementType::U8);
  float fine = plan.findActivation("a")->scale;
  float coarse = plan.findActivation("b")->scale;
  EXPECT_EQ(coarse, static_cast<float>(5.0 / 255));
  EXPECT_EQ(fine, coarse / 4);
}

TEST(WeightPlan, ChannelsNearZeroHaveAScaleForTheirBias) {
  onnx::ModelProto model = prepareModel(parse(R"((float[1, 1, 2, 2] x) => (float[1, 3, 2, 2] y)
      <float[3, 1, 1, 1] w = {1.27, 0.0, 1.0e-31}, float[3] b = {0.0, 1.0, 1.0}>
      { y = Conv (x, w, b) })"));
  WeightPlan plan = weightPlan(model, findPoints(model).layers[0], ElementType::I8);
  ASSERT_EQ(plan.scales.size(), 3U);
  EXPECT_FLOAT_EQ(plan.scales[0], 0.01F);
  EXPECT_EQ(plan.scales[1], plan.scales[2]);
  EXPECT_FLOAT_EQ(plan.scales[2], 0.01F / 1024);
}

TEST(WeightPlan, FourBitsUseSevenSteps) {
  onnx::ModelProto model = prepareModel(smallNetwork());
  Points points = findPoints(model);
  WeightPlan plan = weightPlan(model, points.layers[1], ElementType::I4);
  EXPECT_EQ(plan.scales,
            (std::vector<float>{static_cast<float>(0.2F / 7.0), static_cast<float>(12.7F / 7.0)}));
  EXPECT_EQ(highestWeight(ElementType::I4), 7);
  EXPECT_EQ(highestWeight(ElementType::I8), 127);
}

} // namespace
