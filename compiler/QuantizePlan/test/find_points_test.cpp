// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which tensors of a model a plan quantizes.

#include "QuantizePlan/test/ParseModel.h"

using namespace convoy::plan;
using namespace convoy::plan::test;

namespace {

TEST(FindPoints, ALayerEndsAfterItsReluAndACopyHasTheScaleOfItsSource) {
  Points points = pointsOf(smallNetwork());
  EXPECT_EQ(namesOf(points), "x r:0 p:0 s"); // not c; the softmax stays in floating point
  ASSERT_EQ(points.layers.size(), 2U);
  const Layer &first = points.layers[0];
  EXPECT_EQ(first.op + " " + first.input + " " + first.weight + " " + first.bias + " " +
                first.sums + " " + first.output,
            "Conv x w b c r");
  EXPECT_EQ(first.node, "c"); // the node has no name
  EXPECT_EQ(points.layers[1].bias, "");
  EXPECT_EQ(points.layers[1].axis, 0);
}

TEST(FindPoints, AConstantAfterAProductIsItsBias) {
  Points points = pointsOf(parse(R"((float[1, 1, 2, 1] x) => (float[1, 3] y)
      <float[2, 3] stored = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, float[1, 3] b = {1.0, 2.0, 3.0}>
      {
        f = Flatten (x)
        p = MatMul (f, stored)
        y = Add (p, b)
      })"));
  EXPECT_EQ(namesOf(points), "x:0 f:0 y"); // not p
  ASSERT_EQ(points.layers.size(), 1U);
  EXPECT_EQ(points.layers[0].bias, "b");
  EXPECT_EQ(points.layers[0].sums, "y");
  EXPECT_EQ(points.layers[0].axis, 1);
}

onnx::ModelProto residual(const std::string &join) {
  return parse(R"((float[1, 2, 2, 2] x) => (float[1, 2, 2, 2] y)
      <float[2, 2, 1, 1] w = {1.0, 2.0, 3.0, 4.0}, float[2, 1, 1] b = {1.0, 2.0},
       float low = {0.0}, float high = {6.0}>
      {
        c = Conv (x, w)
        a = Add (b, c)
        r = Clip (a, low, high)
        d = Conv (r, w)
        )" + join +
               R"(
      })");
}

TEST(FindPoints, ABiasMayBeAddedOnTheLeft) {
  Points points = pointsOf(residual("y = Exp (d)"));
  EXPECT_EQ(namesOf(points), "x r d");
  EXPECT_EQ(points.layers[0].bias, "b");
  EXPECT_EQ(points.layers[0].sums, "a");
  EXPECT_EQ(points.layers[0].output, "r");
}

TEST(FindPoints, AddendsAreReportedInPairs) {
  Points points = pointsOf(residual("s = Add (r, d) t = Relu (s) y = Conv (t, w)"));
  EXPECT_EQ(namesOf(points), "x r d t y");
  ASSERT_EQ(points.addends.size(), 1U);
  EXPECT_EQ(points.addends[0].first + " " + points.addends[0].second, "r d");
}

TEST(FindPoints, ASumIsQuantizedOnlyIfALayerReadsIt) {
  EXPECT_EQ(namesOf(pointsOf(residual("s = Add (r, d) y = Exp (s)"))), "x r d");
}

TEST(FindPoints, ConcatenatedTensorsHaveOneScale) {
  EXPECT_EQ(namesOf(pointsOf(residual("s = Concat <axis = 1> (r, d) y = Exp (s)"))), "x r:0 d:0");
  EXPECT_EQ(namesOf(pointsOf(residual("s = Concat <axis = 0> (r, d) y = Conv (s, w)"))),
            "x r:0 d:0 s:0 y");
}

TEST(FindPoints, OperandsOfAProductHaveEightBits) {
  Points points = pointsOf(residual("g = GlobalAveragePool (d) s = Mul (r, g) y = Conv (s, w)"));
  EXPECT_EQ(namesOf(points), "x r d g s y");
  std::string wide;
  for (const Activation &activation : points.activations) {
    wide += activation.supportsI16 ? activation.tensor : "";
  }
  EXPECT_EQ(wide, "xdsy");
}

TEST(FindPoints, AFloatOpIsQuantizedIfALayerReadsIt) {
  EXPECT_EQ(namesOf(pointsOf(residual("s = Sigmoid (d) y = Conv (s, w)"))), "x r d s y");
}

TEST(FindPoints, InputsThatAreIntegersAreNoPoints) {
  Points points = pointsOf(parse(R"((uint8[1, 2, 2, 2] x) => (float[1, 2, 2, 2] y)
      <float[2, 2, 1, 1] w = {1.0, 2.0, 3.0, 4.0}>
      {
        t = Transpose <perm = [0, 1, 3, 2]> (x)
        f = Cast <to = 1> (t)
        y = Conv (f, w)
      })"));
  EXPECT_EQ(namesOf(points), "f y");
}

TEST(FindPoints, AModelWithoutConstantWeightsHasNoPoints) {
  Points points = pointsOf(parse(R"((float[2, 2] x, float[2, 2] z) => (float[2, 2] y)
      { p = MatMul (x, z) r = Relu (p) y = Add (r, x) })"));
  EXPECT_EQ(namesOf(points), "");
  EXPECT_TRUE(points.layers.empty());
}

TEST(FindPoints, MeansOfTwoTrailingDimensionsAreAverages) {
  EXPECT_EQ(namesOf(pointsOf(residual("g = ReduceMean <axes = [2, 3]> (d) y = Conv (g, w)"))),
            "x r d g y");
  // The mean of a normalization is no integer op, and neither is the difference to it.
  EXPECT_EQ(namesOf(pointsOf(residual("g = ReduceMean <axes = [-1]> (r) y = Sub (r, g)"))), "x r");
}

} // namespace
