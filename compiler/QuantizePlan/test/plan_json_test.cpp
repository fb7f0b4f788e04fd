// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the JSON form of plans, and the texts of errors in edited plans.

#include "QuantizePlan/PlanJson.h"
#include "QuantizePlan/test/ParseModel.h"

using namespace convoy;
using namespace convoy::plan;
using namespace convoy::plan::test;

namespace {

struct PlanJsonTest : testing::Test {
  PlanJsonTest() : model(prepareModel(smallNetwork())), points(findPoints(model)) {
    plan = minMaxPlan(model, points,
                      {{"x", {-1, 1.55}}, {"r", {0, 2.55}}, {"p", {0, 2}}, {"s", {-1, 1}}},
                      ElementType::U8);
  }

  /// Returns the error of a text with one change.
  static std::string errorOf(std::string text, const std::string &from, const std::string &to) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    llvm::Expected<Plan> read = planFromJson(text, "plan.json");
    return read ? "" : llvm::toString(read.takeError());
  }

  std::string onlyProblem() {
    std::vector<std::string> problems = checkPlan(plan, points, model);
    return problems.size() == 1 ? problems[0] : std::to_string(problems.size()) + " problems";
  }

  onnx::ModelProto model;
  Points points;
  Plan plan;
};

TEST_F(PlanJsonTest, ReadsWhatItWrites) {
  plan.weights[1].type = ElementType::I4;
  plan.weights[1].rounding = Rounding::Fitted;
  plan.weights[1].correctsBias = true;
  plan.activations[3].type = ElementType::F32;
  plan.activations[3].reason = "the \"last\" layer";
  std::string text = toJson(plan);
  EXPECT_NE(text.find(R"({"tensor": "x", "type": "u8", "scale": 0.00999999978, "zeroPoint": 100})"),
            std::string::npos)
      << text;
  llvm::Expected<Plan> read = planFromJson(text, "plan.json");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(toJson(*read), text);
  EXPECT_EQ(read->activations[0].scale, plan.activations[0].scale);
  EXPECT_EQ(read->weights[1].scales, plan.weights[1].scales);
}

TEST_F(PlanJsonTest, ATensorIsALine) {
  Plan small;
  EXPECT_EQ(toJson(small), "{\n"
                           "  \"version\": 1,\n"
                           "  \"activations\": [],\n"
                           "  \"weights\": []\n"
                           "}\n");
  small.activations = {{"x", ElementType::U8, 0.01F, 100, -1, ""},
                       {"y\\\"", ElementType::I16, 2, 0, 3, ""}};
  small.activations.emplace_back().tensor = "z";
  small.activations[2].type = ElementType::F32;
  small.activations[2].reason = "the \"last\" layer";
  WeightPlan &w = small.weights.emplace_back();
  w.tensor = "w";
  w.type = ElementType::I4;
  w.axis = 1;
  w.scales = {0.5F, 1e-10F};
  w.rounding = Rounding::Fitted;
  w.correctsBias = true;
  small.weights.emplace_back().tensor = "v\xff";
  small.weights[1].type = ElementType::F32;
  EXPECT_EQ(toJson(small),
            R"({
  "version": 1,
  "activations": [
    {"tensor": "x", "type": "u8", "scale": 0.00999999978, "zeroPoint": 100},
    {"tensor": "y\\\"", "type": "i16", "scale": 2, "zeroPoint": 0, "tie": 3},
    {"tensor": "z", "type": "f32", "reason": "the \"last\" layer"}
  ],
  "weights": [
    {"tensor": "w", "type": "i4", "axis": 1, "rounding": "fitted", "correctsBias": true, "scales": [0.5, 1.00000001e-10]},
    {"tensor": "v)"
            "\xef\xbf\xbd"
            R"(", "type": "f32"}
  ]
}
)");
}

TEST_F(PlanJsonTest, ErrorsNameTheFileTheEntryAndTheField) {
  std::string text = toJson(plan);
  std::string end = "; `convoy quantize` writes a plan in the expected form";
  std::string begin = "cannot read the plan 'plan.json': ";
  EXPECT_EQ(errorOf(text, "\"version\": 1", "\"version\": 2"),
            begin + "expects an object with \"version\": 1" + end);
  EXPECT_EQ(errorOf(text, "\"u8\"", "\"u7\""),
            begin + "activations[0]: field 'type' expects one of u8, i8, i16, f32" + end);
  EXPECT_EQ(errorOf(text, "0.00999999978", "-1"),
            begin + "activations[0]: field 'scale' expects a positive number" + end);
  EXPECT_EQ(errorOf(text, "\"zeroPoint\": 100", "\"zeroPoint\": 0.5"),
            begin + "activations[0]: field 'zeroPoint' expects an integer" + end);
  EXPECT_EQ(errorOf(text, "\"zeroPoint\": 100", "\"zero\": 100"),
            begin + "activations[0]: field 'zeroPoint' expects an integer" + end);
  EXPECT_EQ(errorOf(text, "\"tie\": 0", "\"ties\": 0"),
            begin +
                "activations[1]: field 'ties' is unknown; the fields are reason, scale, tensor, "
                "tie, type, zeroPoint" +
                end);
  EXPECT_EQ(errorOf(text, "\"scales\": [", "\"scales\": [0, "),
            begin + "weights[0]: field 'scales' expects a list of positive numbers" + end);
  EXPECT_EQ(errorOf(text, "\"correctsBias\": false", "\"correctsBias\": 0"),
            begin + "weights[0]: field 'correctsBias' expects true or false" + end);
  EXPECT_EQ(errorOf(text, "\"weights\"", "\"weight\""),
            begin + "field 'weights' expects a list" + end);
  EXPECT_EQ(errorOf(text, "{\"tensor\": \"x\"", "{\"tensor\": 3"),
            begin + "activations[0]: field 'tensor' expects a string" + end);
  EXPECT_EQ(errorOf(text, "\"activations\": [", "\"activations\": [1, "),
            begin + "activations[0] expects an object" + end);
  EXPECT_EQ(errorOf(text, "{", "(").find(begin + "the text is not JSON: "), 0U);
}

TEST_F(PlanJsonTest, AFittingPlanHasNoProblems) {
  EXPECT_TRUE(checkPlan(plan, points, model).empty());
}

TEST_F(PlanJsonTest, NamesMustBeInTheModel) {
  plan.activations[0].tensor = "xx";
  EXPECT_EQ(onlyProblem(), "plan: activation 'xx' is not in the model; did you mean 'x'?");
  plan.activations[0] = plan.activations[3];
  EXPECT_EQ(onlyProblem(), "plan: activation 's' occurs twice; remove one of the entries");
}

TEST_F(PlanJsonTest, ActivationsMustFitTheirType) {
  plan.activations[0].zeroPoint = 256;
  EXPECT_EQ(onlyProblem(), "plan: activation 'x' expects a zero point from 0 to 255, got 256");
  plan.activations[0].type = ElementType::I8;
  plan.activations[0].zeroPoint = -129;
  EXPECT_EQ(onlyProblem(), "plan: activation 'x' expects a zero point from -128 to 127, got -129");
  plan.activations[0].type = ElementType::I4;
  EXPECT_EQ(onlyProblem(), "plan: activation 'x' expects type u8, i8, i16 or f32, got int4");
  plan.activations[0].type = ElementType::F32;
  EXPECT_EQ(onlyProblem(), "0 problems");
  plan.activations[0].type = ElementType::U8;
  plan.activations[0].zeroPoint = 0;
  plan.activations[0].scale = 0;
  EXPECT_EQ(onlyProblem(), "plan: activation 'x' expects a positive scale, got 0.000000e+00");
}

TEST_F(PlanJsonTest, WeightsMustFitTheirLayer) {
  plan.weights[0].scales.push_back(1);
  EXPECT_EQ(onlyProblem(), "plan: weights 'w' expects 1 scale or 2, one per output channel, got 3");
  plan.weights[0].scales = {-1};
  EXPECT_EQ(onlyProblem(), "plan: weights 'w' expects positive scales");
  plan.weights[0].axis = 1;
  EXPECT_EQ(onlyProblem(),
            "plan: weights 'w' expects axis 0, the dimension of the output channels, got 1");
  plan.weights[0].type = ElementType::U8;
  EXPECT_EQ(onlyProblem(), "plan: weights 'w' expects type i8, i4 or f32, got uint8");
}

TEST_F(PlanJsonTest, TiedActivationsMustBeEqual) {
  plan.findActivation("p")->scale = 3;
  EXPECT_EQ(onlyProblem(),
            "plan: activation 'p' expects the type, scale and zero point of 'r', because the model "
            "copies elements between the two tensors; change both entries");
  plan.findActivation("p")->type = ElementType::F32;
  EXPECT_NE(onlyProblem(), "0 problems");
  plan.findActivation("r")->type = ElementType::F32;
  EXPECT_EQ(onlyProblem(), "0 problems");
}

} // namespace
