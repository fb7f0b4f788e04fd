// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the rules of `convoy check` at their bounds and beyond.

#include "check/rules/CheckRule.h"
#include "check/rules/OutputError.h"
#include "io/test/TestModel.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::check;

namespace {

Tensor floats(const std::vector<float> &values) {
  Tensor result(ElementType::F32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), result.mutableData<float>());
  return result;
}

/// `count` int8 elements 0, 1, 2 ... with `changed` added to the first `many`.
Tensor steps(int64_t count, int64_t many = 0, int64_t changed = 0) {
  Tensor result(ElementType::I8, {count});
  for (int64_t i = 0; i < count; ++i) {
    result.setInt(i, i % 100 + (i < many ? changed : 0));
  }
  return result;
}

Arithmetic arithmeticOfOp(const std::string &op) {
  return arithmeticOf(convoy::test::loaded(convoy::test::unaryModel(op, {"1"})));
}

TEST(CheckRule, IsChosenFromTheModelsOps) {
  EXPECT_EQ(arithmeticOfOp("Conv"), Arithmetic::Float);
  EXPECT_EQ(arithmeticOfOp("DequantizeLinear"), Arithmetic::Float);
  EXPECT_EQ(arithmeticOfOp("QuantizeLinear"), Arithmetic::Quantized);
  EXPECT_EQ(arithmeticOfOp("QLinearConv"), Arithmetic::Quantized);
  EXPECT_EQ(arithmeticOfOp("DynamicQuantizeLinear"), Arithmetic::Dynamic);
}

TEST(CheckRule, IsChosenFromSubgraphsToo) {
  onnx::ModelProto inner = convoy::test::unaryModel("QuantizeLinear", {"1"});
  onnx::ModelProto outer = convoy::test::unaryModel("If", {"1"});
  onnx::AttributeProto *branch = outer.mutable_graph()->mutable_node(0)->add_attribute();
  branch->set_type(onnx::AttributeProto::GRAPH);
  *branch->mutable_g() = inner.graph();
  EXPECT_EQ(arithmeticOf(convoy::test::loaded(outer)), Arithmetic::Quantized);
}

Arithmetic arithmeticOfType(const std::string &op, int32_t type) {
  return arithmeticOf(convoy::test::loaded(convoy::test::unaryModel(op, {"1"}, type)));
}

TEST(CheckRule, IsChosenFromTheTypesThatNodesRead) {
  EXPECT_EQ(arithmeticOfType("Relu", onnx::TensorProto::FLOAT), Arithmetic::Float);
  EXPECT_EQ(arithmeticOfType("Relu", onnx::TensorProto::FLOAT16), Arithmetic::Narrow);
  EXPECT_EQ(arithmeticOfType("Relu", onnx::TensorProto::BFLOAT16), Arithmetic::BFloat16);
  EXPECT_EQ(arithmeticOfType("QuantizeLinear", onnx::TensorProto::FLOAT16), Arithmetic::Quantized);
  // A model that only stores values in f16 computes in f32.
  EXPECT_EQ(arithmeticOfType("Cast", onnx::TensorProto::FLOAT16), Arithmetic::Float);
}

TEST(CheckRule, IsChosenFromTheTargetOfACast) {
  onnx::ModelProto model = convoy::test::unaryModel("Cast", {"1"});
  onnx::NodeProto *cast = model.mutable_graph()->mutable_node(0);
  cast->set_output(0, "half");
  onnx::AttributeProto *to = cast->add_attribute();
  to->set_name("to");
  to->set_i(onnx::TensorProto::FLOAT16);
  EXPECT_EQ(arithmeticOf(convoy::test::loaded(model)), Arithmetic::Float);
  onnx::NodeProto *relu = model.mutable_graph()->add_node();
  relu->set_op_type("Relu");
  relu->add_input("half");
  relu->add_output("y");
  EXPECT_EQ(arithmeticOf(convoy::test::loaded(model)), Arithmetic::Narrow);
}

TEST(CheckRule, NarrowFloatsHaveTheToleranceOfTheirType) {
  auto isRight = [](double actual, ElementType type, Arithmetic arithmetic) {
    Tensor expected(type, {2}), other(type, {2});
    expected.setDouble(0, 3);
    other.setDouble(0, 3);
    expected.setDouble(1, 4);
    other.setDouble(1, actual);
    return judge(other, expected, arithmetic).isRight;
  };
  for (Arithmetic arithmetic : {Arithmetic::Float, Arithmetic::Narrow}) {
    EXPECT_TRUE(isRight(4.04, ElementType::F16, arithmetic));
    EXPECT_FALSE(isRight(4.06, ElementType::F16, arithmetic));
    EXPECT_TRUE(isRight(4.375, ElementType::BF16, arithmetic));
    EXPECT_FALSE(isRight(4.5, ElementType::BF16, arithmetic));
  }
  EXPECT_FALSE(isRight(4.04, ElementType::F32, Arithmetic::Float));
  EXPECT_TRUE(isRight(4.04, ElementType::F32, Arithmetic::Narrow)); // computed in f16
  EXPECT_FALSE(isRight(4.06, ElementType::F32, Arithmetic::Narrow));
  EXPECT_TRUE(isRight(4.39, ElementType::F32, Arithmetic::BFloat16));
  EXPECT_FALSE(isRight(4.41, ElementType::F32, Arithmetic::BFloat16));
}

TEST(CheckRule, OverflowsOfNarrowFloatsAreEqual) {
  EXPECT_EQ(relativeL2(floats({INFINITY, NAN, 3}), floats({INFINITY, NAN, 3})), 0);
  EXPECT_TRUE(std::isinf(relativeL2(floats({65504, 3}), floats({INFINITY, 3}))));
  EXPECT_TRUE(std::isinf(relativeL2(floats({NAN, 3}), floats({1, 3}))));
}

TEST(CheckRule, FloatModelsMayDifferBy1e4Plus1e3OfTheExpected) {
  auto isRight = [](float actual, float expected) {
    return judge(floats({actual}), floats({expected}), Arithmetic::Float).isRight;
  };
  EXPECT_TRUE(isRight(10.01F, 10));
  EXPECT_FALSE(isRight(10.02F, 10));
  EXPECT_TRUE(isRight(0.00009F, 0));
  EXPECT_FALSE(isRight(0.0002F, 0));
  EXPECT_TRUE(isRight(NAN, NAN));
  EXPECT_FALSE(isRight(NAN, 1));
  EXPECT_TRUE(isRight(INFINITY, INFINITY));
  EXPECT_FALSE(isRight(-INFINITY, INFINITY));
}

TEST(CheckRule, IntegersOfQuantizedModelsMayBeOffByAStep) {
  auto isRight = [](const Tensor &actual, const Tensor &expected) {
    return judge(actual, expected, Arithmetic::Quantized).isRight;
  };
  EXPECT_TRUE(isRight(steps(200, 150, 1), steps(200)));  // all within 1
  EXPECT_TRUE(isRight(steps(200, 2, 4), steps(200)));    // 1 % beyond 1, none beyond 4
  EXPECT_FALSE(isRight(steps(200, 3, 2), steps(200)));   // 1.5 % beyond 1
  EXPECT_FALSE(isRight(steps(200, 1, 5), steps(200)));   // one beyond 4
  EXPECT_FALSE(isRight(steps(3, 2, 1), steps(2, 0, 0))); // a different shape
}

TEST(CheckRule, QuantizedModelsKeepTheirTop1) {
  Tensor expected = floats({1, 5, 4.9F});
  EXPECT_TRUE(judge(floats({1, 5.1F, 4.8F}), expected, Arithmetic::Quantized).isRight);
  EXPECT_FALSE(judge(floats({1, 4.9F, 5}), expected, Arithmetic::Quantized).isRight);
  // A dynamically quantized model has no classes.
  EXPECT_TRUE(judge(floats({1, 4.9F, 5}), expected, Arithmetic::Dynamic).isRight);
}

TEST(CheckRule, FloatsOfQuantizedModelsAreBoundInL2) {
  Tensor expected = floats({3, 4}); // norm 5
  EXPECT_TRUE(judge(floats({3, 4.39F}), expected, Arithmetic::Quantized).isRight);
  EXPECT_FALSE(judge(floats({3, 4.41F}), expected, Arithmetic::Quantized).isRight);
  EXPECT_TRUE(judge(floats({3, 4.24F}), expected, Arithmetic::Dynamic).isRight);
  EXPECT_FALSE(judge(floats({3, 4.26F}), expected, Arithmetic::Dynamic).isRight);
  EXPECT_FALSE(judge(floats({3, NAN}), expected, Arithmetic::Dynamic).isRight);
  EXPECT_TRUE(judge(floats({3, 4.049F}), expected, Arithmetic::Narrow).isRight);
  EXPECT_FALSE(judge(floats({3, 4.051F}), expected, Arithmetic::Narrow).isRight);
  EXPECT_TRUE(judge(floats({3, 4.024F}), expected, Arithmetic::Layers).isRight);
  EXPECT_FALSE(judge(floats({3, 4.026F}), expected, Arithmetic::Layers).isRight);
}

TEST(CheckRule, TiesShareTheirTop1) {
  EXPECT_TRUE(hasSameTop1(floats({1, 2, 2}), floats({1, 1, 3})));
  EXPECT_TRUE(hasSameTop1(floats({1, 2, 1}), floats({1, 2, 2})));
  EXPECT_FALSE(hasSameTop1(floats({3, 2, 1}), floats({1, 2, 2})));
}

TEST(CheckRule, Names) {
  EXPECT_EQ(ruleText(Arithmetic::Float, ElementType::F32),
            "float model: |a - b| <= 1e-4 + 1e-3 |b|");
  EXPECT_EQ(ruleText(Arithmetic::Quantized, ElementType::I8),
            "integer output of a quantized model: 99 % within 1 step, none beyond 4, same top-1");
  EXPECT_EQ(ruleText(Arithmetic::Quantized, ElementType::F32),
            "float output of a quantized model: relative L2 <= 0.08, same top-1");
  EXPECT_EQ(ruleText(Arithmetic::Dynamic, ElementType::F32),
            "dynamically quantized model: relative L2 <= 0.05");
  EXPECT_EQ(ruleText(Arithmetic::Float, ElementType::I64), "equal elements");
  EXPECT_EQ(ruleText(Arithmetic::Float, ElementType::F16),
            "model computed in a narrow float type: relative L2 <= 0.01");
  EXPECT_EQ(ruleText(Arithmetic::Float, ElementType::BF16),
            "model computed in bf16: relative L2 <= 0.08");
}

TEST(OutputError, NamesTheFirstElementAndTheCount) {
  Tensor expected = floats({1, 2, 3}).reshaped({3, 1});
  Tensor actual = floats({1, 2.5F, 4}).reshaped({3, 1});
  EXPECT_EQ(outputError(actual, expected, {1e-3, 1e-7}),
            "is 2.5 at [1, 0], expected 2 (2 of 3 elements differ)");
  EXPECT_EQ(outputError(floats({1}), expected, {1e-3, 1e-7}), "has shape 1, expected 3x1");
  EXPECT_EQ(outputError(steps(1), floats({1}), {1e-3, 1e-7}), "has type int8, expected float");
  EXPECT_EQ(outputError(Datum::sequence({}), Datum(expected), {0, 0}),
            "is a sequence, expected a tensor");
  EXPECT_EQ(outputError(expected, expected, {0, 0}), std::nullopt);
}

} // namespace
