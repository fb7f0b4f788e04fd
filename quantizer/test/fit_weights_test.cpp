// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the integers and biases of whole models: the fitted model is closer to the float model than
// one whose weights are rounded to nearest.

#include "quantizer/observe/LayerInputs.h"
#include "quantizer/test/MemoryDataset.h"
#include "quantizer/weights/FitWeights.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace convoy;
using namespace convoy::quantizer;
using namespace convoy::test;

namespace {

/// A prepared model, its plan, and products of its inputs.
struct FitCase {
  explicit FitCase(onnx::ModelProto proto, ElementType type)
      : model(plan::prepareModel(proto)), points(plan::findPoints(model)),
        data(randomDataset("x", {1, 2, 6, 6}, 40)) {
    std::vector<size_t> samples(data.size());
    std::iota(samples.begin(), samples.end(), 0);
    auto observed = observeProducts(model, points, {}, nullptr, data, samples, ObserveOptions());
    EXPECT_TRUE(bool(observed)) << observed.problems().firstError();
    products = *observed;
    for (const plan::Layer &layer : points.layers) {
      plan.weights.push_back(plan::weightPlan(model, layer, type));
      plan.weights.back().rounding = plan::Rounding::Fitted;
    }
  }

  plan::FittedWeights fit() { return llvm::cantFail(fitWeights(model, points, products, plan)); }

  std::string errorOfFit() {
    llvm::Expected<plan::FittedWeights> fitted = fitWeights(model, points, products, plan);
    return fitted ? "" : llvm::toString(fitted.takeError());
  }

  onnx::ModelProto model;
  plan::Points points;
  MemoryDataset data;
  std::map<std::string, InputProducts> products;
  plan::Plan plan;
};

/// Returns the squared error of the outputs of the first layer, d'Hd, for its first channel.
double errorOf(const InputProducts &products, const std::vector<double> &difference) {
  double sum = 0;
  for (int64_t i = 0; i < products.taps; ++i) {
    for (int64_t j = 0; j < products.taps; ++j) {
      sum += difference[i] * difference[j] * products.products[0][i * products.taps + j];
    }
  }
  return sum;
}

TEST(FitWeights, FourBitIntegersStayInTheRange) {
  FitCase test(smallNetwork(), ElementType::I4);
  plan::FittedWeights fitted = test.fit();
  ASSERT_EQ(fitted.integers.size(), 3u);
  EXPECT_EQ(fitted.integers["w1"].size(), 72u);
  EXPECT_EQ(fitted.integers["w2"].size(), 36u);
  EXPECT_EQ(fitted.integers["w3"].size(), 20u);
  for (const auto &[name, integers] : fitted.integers) {
    int most = 0;
    for (int8_t integer : integers) {
      most = std::max(most, std::abs(int(integer)));
    }
    EXPECT_LE(most, 7) << name;
    EXPECT_GE(most, 6) << name;
  }
  EXPECT_TRUE(fitted.biases.empty());
}

TEST(FitWeights, ScalesAreOnePerChannelAndNotLarger) {
  FitCase test(smallNetwork(), ElementType::I4);
  plan::Plan before = test.plan;
  test.fit();
  for (size_t i = 0; i < before.weights.size(); ++i) {
    ASSERT_EQ(test.plan.weights[i].scales.size(), before.weights[i].scales.size());
    for (size_t j = 0; j < before.weights[i].scales.size(); ++j) {
      EXPECT_LE(test.plan.weights[i].scales[j], before.weights[i].scales[j] * 1.0001F);
      EXPECT_GE(test.plan.weights[i].scales[j], before.weights[i].scales[j] * 0.39F);
    }
  }
}

TEST(FitWeights, ErrorIsNotLargerThanOfRoundingToNearest) {
  for (ElementType type : {ElementType::I8, ElementType::I4}) {
    FitCase test(smallNetwork(), type);
    plan::Plan nearest = test.plan;
    plan::FittedWeights fitted = test.fit();
    std::vector<float> weights = plan::floatsOf(test.model, "w1");
    std::vector<double> before(18), after(18);
    for (size_t tap = 0; tap < 18; ++tap) {
      float scale = nearest.weights[0].scales[0];
      before[tap] = weights[tap] - std::nearbyint(weights[tap] / scale) * scale;
      after[tap] = weights[tap] - fitted.integers["w1"][tap] * test.plan.weights[0].scales[0];
    }
    const InputProducts &products = test.products["w1"];
    EXPECT_LE(errorOf(products, after), errorOf(products, before) * 1.02);
  }
}

TEST(FitWeights, ResultsRepeat) {
  FitCase one(smallNetwork(), ElementType::I4), two(smallNetwork(), ElementType::I4);
  EXPECT_EQ(one.fit().integers, two.fit().integers);
  EXPECT_EQ(one.plan.weights[0].scales, two.plan.weights[0].scales);
}

TEST(FitWeights, TransposedProductsHaveTheSameIntegers) {
  // Gemm with weights K x N, and with weights N x K and transB.
  onnx::ModelProto plain = smallNetwork(), transposed = smallNetwork();
  std::vector<float> weights = randomFloats(20, 5), turned(20);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 5; ++j) {
      turned[j * 4 + i] = weights[i * 5 + j];
    }
  }
  for (onnx::TensorProto &tensor : *transposed.mutable_graph()->mutable_initializer()) {
    if (tensor.name() == "w3") {
      tensor.set_dims(0, 5);
      tensor.set_dims(1, 4);
      for (int i = 0; i < 20; ++i) {
        tensor.set_float_data(i, turned[i]);
      }
    }
  }
  addInt(*transposed.mutable_graph()->mutable_node(5), "transB", 1);
  FitCase one(plain, ElementType::I4), two(transposed, ElementType::I4);
  std::vector<int8_t> a = one.fit().integers["w3"], b = two.fit().integers["w3"];
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 5; ++j) {
      EXPECT_EQ(a[i * 5 + j], b[j * 4 + i]);
    }
  }
}

TEST(FitWeights, BiasCompensatesTheMeanError) {
  FitCase test(smallNetwork(), ElementType::I4);
  for (plan::WeightPlan &weights : test.plan.weights) {
    weights.correctsBias = true;
  }
  plan::FittedWeights fitted = test.fit();
  ASSERT_EQ(fitted.biases.size(), 3u);
  std::vector<float> weights = plan::floatsOf(test.model, "w1");
  std::vector<float> bias = plan::floatsOf(test.model, "b1");
  const InputProducts &products = test.products["w1"];
  for (size_t channel = 0; channel < 4; ++channel) {
    double shift = 0;
    for (size_t tap = 0; tap < 18; ++tap) {
      size_t index = channel * 18 + tap;
      double rounded = fitted.integers["w1"][index] * test.plan.weights[0].scales[channel];
      shift += products.sums[0][tap] / static_cast<double>(products.positions) *
               (weights[index] - rounded);
    }
    EXPECT_NEAR(fitted.biases["b1"][channel], bias[channel] + shift, 1e-6);
  }
}

TEST(FitWeights, BiasOfWeightsThatAreRoundedToNearest) {
  FitCase test(smallNetwork(), ElementType::I4);
  for (plan::WeightPlan &weights : test.plan.weights) {
    weights.correctsBias = true;
    weights.rounding = plan::Rounding::Nearest;
  }
  plan::Plan before = test.plan;
  plan::FittedWeights fitted = test.fit();
  EXPECT_EQ(fitted.biases.size(), 3u);
  EXPECT_EQ(test.plan.weights[0].scales, before.weights[0].scales);
  std::vector<float> weights = plan::floatsOf(test.model, "w1");
  EXPECT_EQ(fitted.integers["w1"][20], std::nearbyint(weights[20] / before.weights[0].scales[1]));
}

TEST(FitWeights, ALayerWithoutBiasIsNotCorrected) {
  onnx::ModelProto model = smallNetwork();
  model.mutable_graph()->mutable_node(0)->mutable_input()->RemoveLast();
  FitCase test(model, ElementType::I8);
  for (plan::WeightPlan &weights : test.plan.weights) {
    weights.correctsBias = true;
  }
  plan::FittedWeights fitted = test.fit();
  EXPECT_FALSE(fitted.biases.count("b1"));
  EXPECT_TRUE(fitted.biases.count("b2"));
}

TEST(FitWeights, OtherLayersAreLeftAlone) {
  FitCase test(smallNetwork(), ElementType::I8);
  test.plan.weights[0].rounding = plan::Rounding::Nearest;
  test.plan.weights[1].type = ElementType::F32;
  test.plan.weights.pop_back();
  EXPECT_TRUE(test.fit().integers.empty());
}

TEST(FitWeights, OneScalePerTensorStaysOne) {
  FitCase test(smallNetwork(), ElementType::I4);
  std::vector<float> scales = test.plan.weights[0].scales;
  test.plan.weights[0].scales = {*std::max_element(scales.begin(), scales.end())};
  plan::FittedWeights fitted = test.fit();
  ASSERT_EQ(test.plan.weights[0].scales.size(), 1u);
  EXPECT_LE(test.plan.weights[0].scales[0],
            *std::max_element(scales.begin(), scales.end()) * 1.0001F);
  EXPECT_EQ(fitted.integers["w1"].size(), 72u);
}

TEST(FitWeights, LayersWithoutProductsAreRoundedToNearest) {
  FitCase test(smallNetwork(), ElementType::I4);
  test.products.erase("w1");
  test.products["w2"].products.clear();
  plan::FittedWeights fitted = test.fit();
  for (size_t i : {0, 1}) {
    EXPECT_EQ(test.plan.weights[i].rounding, plan::Rounding::Nearest);
    EXPECT_EQ(test.plan.weights[i].reason,
              "rounded to nearest: the inputs of the layer were not observed");
  }
  EXPECT_EQ(test.plan.weights[2].rounding, plan::Rounding::Fitted);
  EXPECT_TRUE(test.plan.weights[2].reason.empty());
}

TEST(FitWeights, LargeLayersAreRoundedToNearest) {
  onnx::ModelProto model = emptyModel("x", {1, 2, 6, 6}, "y");
  addInitializer(model, "w0", {300, 2, 1, 1}, randomFloats(600, 1));
  addInitializer(model, "w", {2, 300, 3, 3}, randomFloats(5400, 2));
  addInitializer(model, "b", {2}, {0, 0});
  addNode(model, "Conv", {"x", "w0"}, "h");
  addNode(model, "Conv", {"h", "w", "b"}, "y");
  FitCase test(model, ElementType::I8);
  test.plan.weights[1].correctsBias = true;
  plan::FittedWeights fitted = test.fit();
  EXPECT_EQ(test.plan.weights[1].reason,
            "rounded to nearest: the layer has 2700 inputs per output; rounding by their products "
            "is limited to 2304");
  // The mean of the inputs is known, so the bias is corrected.
  EXPECT_EQ(fitted.biases.count("b"), 1u);
}

TEST(FitWeights, InputsThatAreZeroAreRoundedToNearest) {
  FitCase test(smallNetwork(), ElementType::I8);
  for (double &product : test.products["w1"].products[0]) {
    product = 0;
  }
  std::vector<float> weights = plan::floatsOf(test.model, "w1");
  plan::FittedWeights fitted = test.fit();
  for (size_t i = 0; i < 72; ++i) {
    EXPECT_EQ(fitted.integers["w1"][i],
              std::nearbyint(weights[i] / test.plan.weights[0].scales[i / 18]));
  }
}

TEST(FitWeights, WordsOfErrors) {
  FitCase test(smallNetwork(), ElementType::I8);
  test.plan.weights[0].scales = {0};
  EXPECT_EQ(test.errorOfFit(),
            "cannot round the weights 'w1' of node 'Conv_c1': expects positive scales in the plan, "
            "got none or others; write one scale, or one per output channel");
  test.plan.weights[0].scales = {};
  EXPECT_NE(test.errorOfFit(), "");
}

} // namespace
