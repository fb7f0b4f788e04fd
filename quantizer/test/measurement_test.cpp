// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the paired counts, the bounds with and without labels, and the types of targets.

#include "quantizer/proof/Measurement.h"
#include "quantizer/search/TargetCost.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

Answer answer(int64_t top, bool isRight) {
  Answer result;
  result.top = top;
  result.isRight = isRight;
  return result;
}

TEST(MeasurementTest, CountsLostAndGainedAnswers) {
  std::vector<Answer> floats = {answer(1, true), answer(1, true), answer(2, false),
                                answer(3, false)};
  std::vector<Answer> quantized = {answer(1, true), answer(2, false), answer(1, true),
                                   answer(4, false)};
  Measurement labeled = compare(floats, quantized, /*hasLabels=*/true);
  EXPECT_EQ(labeled.counts.lost, 1);
  EXPECT_EQ(labeled.counts.gained, 1);
  EXPECT_EQ(labeled.disagreements, 3);
  Measurement unlabeled = compare(floats, quantized, /*hasLabels=*/false);
  EXPECT_EQ(unlabeled.counts.lost, 3);
  EXPECT_EQ(unlabeled.counts.gained, 0);
}

TEST(MeasurementTest, TwoNaNsAreNoAgreement) {
  std::vector<Answer> answers(2);
  answers[0].isNaN = true;
  answers[1].top = 3;
  EXPECT_EQ(compare(answers, answers, /*hasLabels=*/false).counts.lost, 1);
}

TEST(MeasurementTest, ANaNOfTheFloatModelIsNoEvidence) {
  std::vector<Answer> floats(100), quantized(100);
  for (size_t i = 0; i < floats.size(); ++i) {
    floats[i].isNaN = quantized[i].isNaN = true;
  }
  Measurement measured = compare(floats, quantized, /*hasLabels=*/true);
  EXPECT_EQ(measured.counts.lost, 100);
  EXPECT_EQ(boundOf(measured, 0.05), 1);
}

TEST(MeasurementTest, ProjectsTheBoundToMoreSamples) {
  Measurement measured;
  measured.hasLabels = true;
  measured.counts = {1000, 12, 8};
  EXPECT_NEAR(projectedBound(measured, 1000, 0.05), boundOf(measured, 0.05), 1e-12);
  EXPECT_LT(projectedBound(measured, 10000, 0.05), boundOf(measured, 0.05));
  EXPECT_GT(projectedBound(measured, 10000, 0.05), 0.004);
}

TEST(MeasurementTest, SamplesNeededWithoutLabelsProveTheShare) {
  Measurement measured;
  measured.counts = {1000, 2, 0};
  int64_t needed = samplesNeeded(measured, 0.005, 0.05);
  EXPECT_GT(needed, 500);
  EXPECT_LE(shareBound(static_cast<int64_t>(0.002 * static_cast<double>(needed)), needed, 0.05),
            0.005);
  measured.counts.lost = 6; // more than the limit
  EXPECT_EQ(samplesNeeded(measured, 0.005, 0.05), 0);
}

TEST(TargetTypesTest, DevicesHaveNoWideIntegers) {
  TargetRequest target;
  target.name = "nvdla-small";
  TargetTypes types = llvm::cantFail(typesOf(target));
  EXPECT_EQ(types.arithmeticOf, "nvdla-small");
  EXPECT_FALSE(types.hasI16);
  plan::Plan plan;
  plan.activations.emplace_back().tensor = "x";
  plan.activations[0].type = ElementType::I16;
  EXPECT_EQ(
      checkForTarget(plan, types),
      std::vector<std::string>{"tensor 'x': target 'nvdla-small' expects 8-bit activations or "
                               "float, got int16; use int8, uint8 or float"});
  fitToTarget(plan, types);
  EXPECT_EQ(plan.activations[0].type, ElementType::F32);
  EXPECT_TRUE(checkForTarget(plan, types).empty());
}

/// Returns the type of activations and whether the ends are integers.
std::pair<ElementType, bool> formOf(const std::string &name) {
  TargetRequest target;
  target.name = name;
  TargetTypes types = llvm::cantFail(typesOf(target));
  return {types.activation, types.hasIntegerEnds};
}

TEST(TargetTypesTest, KernelsOfTheTargetDecideTheTypeOfActivations) {
  EXPECT_EQ(formOf("cortex-m4"), std::pair(ElementType::I8, true));
  EXPECT_EQ(formOf("cortex-m55"), std::pair(ElementType::I8, true));
  EXPECT_EQ(formOf("rv32imc"), std::pair(ElementType::I8, true));
  EXPECT_EQ(formOf("aarch64-dotprod"), std::pair(ElementType::I8, false)); // SDOT
  EXPECT_EQ(formOf("aarch64-i8mm"), std::pair(ElementType::U8, false));    // USDOT
  EXPECT_EQ(formOf("x86-64-v4"), std::pair(ElementType::U8, false));
  EXPECT_EQ(formOf("nvdla-small"), std::pair(ElementType::U8, false));
}

TEST(TargetTypesTest, WideActivationsAreGenericLoopsOnMicrocontrollers) {
  for (auto [name, hasTemplates] : {std::pair("cortex-m55", false),
                                    {"rv32imc", false},
                                    {"host", true},
                                    {"nvdla-small", true}}) {
    TargetRequest target;
    target.name = name;
    EXPECT_EQ(llvm::cantFail(typesOf(target)).hasWideTemplates, hasTemplates) << name;
  }
}

TEST(TargetTypesTest, ShiftsNeedPowersOfTwo) {
  TargetRequest target;
  target.name = "bm1880";
  TargetTypes types = llvm::cantFail(typesOf(target));
  ASSERT_TRUE(types.shiftsOnly);
  plan::Plan plan;
  plan::ActivationPlan &activation = plan.activations.emplace_back();
  activation.tensor = "x";
  activation.scale = 0.1F;
  activation.zeroPoint = 28;
  plan::WeightPlan &weights = plan.weights.emplace_back();
  weights.tensor = "w";
  weights.scales = {0.1F, 0.3F};
  EXPECT_EQ(checkForTarget(plan, types).size(), 2U);
  fitToTarget(plan, types);
  EXPECT_TRUE(checkForTarget(plan, types).empty());
  // The range of before was -2.8 to 22.7, so the int8 range is at least as large.
  EXPECT_EQ(activation.scale, 0.25F);
  EXPECT_EQ(weights.scales, std::vector<float>{0.5F});
}

} // namespace
