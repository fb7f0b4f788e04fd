// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that observed values are those of the model, for every number of threads.

#include "quantizer/observe/LayerInputs.h"
#include "quantizer/observe/Observe.h"
#include "quantizer/test/MemoryDataset.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace convoy;
using namespace convoy::quantizer;
using namespace convoy::test;

namespace {

std::vector<size_t> allOf(const io::Dataset &data) {
  std::vector<size_t> samples(data.size());
  std::iota(samples.begin(), samples.end(), 0);
  return samples;
}

ObserveOptions withThreads(int64_t threads) {
  ObserveOptions options;
  options.threads = threads;
  return options;
}

/// A convolution with one sample, and its products.
struct ConvCase {
  std::vector<int64_t> inputShape, weightShape, strides, dilations, pads;
  int64_t groups = 1;
  std::string autoPad = "";
};

onnx::ModelProto convModel(const ConvCase &conv) {
  onnx::ModelProto model = emptyModel("x", conv.inputShape, "y");
  size_t count = static_cast<size_t>(elementCountOf(conv.weightShape));
  addInitializer(model, "w", conv.weightShape, randomFloats(count, 9));
  onnx::NodeProto &node = addNode(model, "Conv", {"x", "w"}, "y");
  addInts(node, "strides", conv.strides);
  addInts(node, "dilations", conv.dilations);
  addInt(node, "group", conv.groups);
  if (conv.autoPad.empty()) {
    addInts(node, "pads", conv.pads);
  } else {
    onnx::AttributeProto *mode = node.add_attribute();
    mode->set_name("auto_pad");
    mode->set_type(onnx::AttributeProto::STRING);
    mode->set_s(conv.autoPad);
  }
  return model;
}

/// Returns the outputs of a compiled model, to check rows of inputs by an independent path.
std::vector<float> outputsOf(const onnx::ModelProto &model, const NamedTensors &sample) {
  CompiledModel compiled = Workflow(Model::parse(model.SerializeAsString(), "model")).compile();
  Result<NamedTensors> outputs = compiled.run(sample);
  EXPECT_TRUE(bool(outputs)) << outputs.problems().firstError();
  const TensorData &y = outputs->at("y");
  const auto *elements = static_cast<const float *>(y.bytes.get());
  return {elements, elements + elementCountOf(y.shape)};
}

TEST(Observe, RangesAreThoseOfTheModel) {
  onnx::ModelProto model = plan::prepareModel(smallNetwork());
  plan::Points points = plan::findPoints(model);
  MemoryDataset data = randomDataset("x", {1, 2, 6, 6}, 5);
  auto statistics = observe(model, points, {}, data, allOf(data), withThreads(2));
  ASSERT_TRUE(bool(statistics)) << statistics.problems().firstError();
  ASSERT_EQ(statistics->size(), points.activations.size());
  ASSERT_TRUE(statistics->count("x"));
  EXPECT_EQ(statistics->at("x").count, 5 * 72);
  EXPECT_LT(statistics->at("x").range.low, -0.9);
  ASSERT_TRUE(statistics->count("r1"));
  EXPECT_EQ(statistics->at("r1").range.low, 0);
  EXPECT_EQ(statistics->at("r1").channelMeans.size(), 4u);
  float low = 1e30F, high = -1e30F;
  for (size_t i = 0; i < data.size(); ++i) {
    for (float value : outputsOf(model, *data.read(i))) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  ASSERT_TRUE(statistics->count("y"));
  EXPECT_NEAR(statistics->at("y").range.low, low, 1e-4);
  EXPECT_NEAR(statistics->at("y").range.high, high, 1e-4);
}

TEST(Observe, ThreadsDoNotChangeTheResult) {
  onnx::ModelProto model = plan::prepareModel(smallNetwork());
  plan::Points points = plan::findPoints(model);
  MemoryDataset data = randomDataset("x", {1, 2, 6, 6}, 7);
  auto one = observe(model, points, {}, data, allOf(data), withThreads(1));
  auto three = observe(model, points, {}, data, allOf(data), withThreads(3));
  auto again = observe(model, points, {}, data, allOf(data), withThreads(3));
  ASSERT_TRUE(one && three && again);
  for (const auto &[tensor, statistics] : *one) {
    EXPECT_EQ(statistics.histogram, three->at(tensor).histogram) << tensor;
    EXPECT_EQ(statistics.range.high, three->at(tensor).range.high);
    EXPECT_EQ(three->at(tensor).channelMeans, again->at(tensor).channelMeans);
  }
}

TEST(Observe, ReportsProgress) {
  onnx::ModelProto model = plan::prepareModel(smallNetwork());
  MemoryDataset data = randomDataset("x", {1, 2, 6, 6}, 4);
  std::vector<size_t> finished;
  ObserveOptions options = withThreads(2);
  options.progress = [&](size_t count, size_t total) {
    EXPECT_EQ(total, 4u);
    finished.push_back(count);
  };
  ASSERT_TRUE(observe(model, plan::findPoints(model), {}, data, allOf(data), options));
  EXPECT_EQ(finished, std::vector<size_t>({1, 2, 3, 4}));
}

TEST(Observe, WordsOfErrors) {
  onnx::ModelProto model = plan::prepareModel(smallNetwork());
  plan::Points points = plan::findPoints(model);
  MemoryDataset other = randomDataset("x", {1, 2, 5, 6}, 1);
  auto wrongShape = observe(model, points, {}, other, {0}, withThreads(1));
  EXPECT_EQ(wrongShape.problems().firstError(),
            "cannot run the model on sample 'sample 0': expects the type and shape of input 'x', "
            "got data of another type or shape");
  MemoryDataset unnamed = randomDataset("z", {1, 2, 6, 6}, 1);
  auto noData = observe(model, points, {}, unnamed, {0}, withThreads(1));
  EXPECT_EQ(noData.problems().firstError(),
            "cannot run the model on sample 'sample 0': no data for input 'x'");
}

TEST(Observe, WordsAboutTensorsWithoutFloats) {
  onnx::ModelProto model = emptyModel("i", {1, 4}, "y");
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::INT32);
  addInt(addNode(model, "Cast", {"i"}, "y"), "to", onnx::TensorProto::FLOAT);
  plan::Points points;
  points.activations.push_back({"i", -1, false});
  MemoryDataset data({});
  auto integers = observe(model, points, {}, data, {}, withThreads(1));
  EXPECT_EQ(integers.problems().firstError(),
            "not supported: observe tensor 'i', whose elements are not float32; convert the model "
            "to float32");
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::FLOAT);
  InputPins pins;
  pins.constants["i"] = tensorOf({1, 4}, {1, 2, 3, 4});
  auto constant = observe(model, points, pins, data, {}, withThreads(1));
  EXPECT_EQ(constant.problems().firstError(),
            "cannot observe tensor 'i': expects values that depend on the sample, got a constant; "
            "do not give a constant for this input");
}

TEST(Observe, SamplesAreNotNecessary) {
  onnx::ModelProto model = plan::prepareModel(smallNetwork());
  MemoryDataset data({});
  auto statistics = observe(model, plan::findPoints(model), {}, data, {}, withThreads(2));
  ASSERT_TRUE(bool(statistics));
  EXPECT_EQ(statistics->at("r1").count, 0);
}

/// Multiplies each row of inputs with the weights and compares with the model's output.
void expectRowsOf(const ConvCase &conv) {
  onnx::ModelProto model = plan::prepareModel(convModel(conv));
  plan::Points points = plan::findPoints(model);
  ASSERT_EQ(points.layers.size(), 1u);
  std::string why;
  std::optional<LayerGeometry> geometry = geometryOf(model, points.layers[0], why);
  ASSERT_TRUE(geometry.has_value()) << why;
  MemoryDataset data = randomDataset("x", conv.inputShape, 1);
  NamedTensors sample = *data.read(0);
  std::vector<float> expected = outputsOf(model, sample);
  LayerRows rows(*geometry, conv.inputShape);
  ASSERT_EQ(rows.count() * geometry->channels, static_cast<int64_t>(expected.size()));
  std::vector<float> weights = plan::floatsOf(model, "w");
  std::vector<float> row(geometry->groups * geometry->taps);
  int64_t perImage = rows.count() / conv.inputShape[0];
  for (int64_t position = 0; position < rows.count(); ++position) {
    rows.read(static_cast<const float *>(sample.at("x").bytes.get()), position, row.data(),
              geometry->taps);
    for (int64_t channel = 0; channel < geometry->channels; ++channel) {
      int64_t group = channel / (geometry->channels / geometry->groups);
      double sum = 0;
      for (int64_t tap = 0; tap < geometry->taps; ++tap) {
        sum += row[group * geometry->taps + tap] * weights[channel * geometry->taps + tap];
      }
      int64_t image = position / perImage;
      float found =
          expected[(image * geometry->channels + channel) * perImage + position % perImage];
      ASSERT_NEAR(sum, found, 1e-4) << position << " " << channel;
    }
  }
}

TEST(LayerRows, RowsOfConvolutions) {
  expectRowsOf({{1, 2, 6, 5}, {3, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}});
  expectRowsOf({{2, 2, 7, 6}, {3, 2, 3, 2}, {2, 1}, {1, 2}, {0, 2, 1, 0}});
  expectRowsOf({{1, 6, 5, 5}, {6, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 6});
  expectRowsOf({{1, 4, 5, 5}, {6, 2, 1, 1}, {2, 2}, {1, 1}, {0, 0, 0, 0}, 2});
  expectRowsOf({{1, 2, 6, 7}, {3, 2, 3, 3}, {2, 2}, {1, 1}, {}, 1, "SAME_UPPER"});
  expectRowsOf({{1, 2, 6, 7}, {3, 2, 4, 2}, {1, 2}, {1, 1}, {}, 1, "SAME_LOWER"});
  expectRowsOf({{1, 2, 6, 7}, {3, 2, 3, 3}, {1, 1}, {1, 1}, {}, 1, "VALID"});
}

TEST(LayerRows, RowsOfOneDimension) { expectRowsOf({{1, 3, 9}, {4, 3, 3}, {2}, {1}, {1, 1}}); }

TEST(ObserveProducts, SumsTheProductsOfAllPositions) {
  onnx::ModelProto model = plan::prepareModel(smallNetwork());
  plan::Points points = plan::findPoints(model);
  MemoryDataset data = randomDataset("x", {1, 2, 6, 6}, 5);
  auto products = observeProducts(model, points, {}, nullptr, data, allOf(data), withThreads(2));
  ASSERT_TRUE(bool(products)) << products.problems().firstError();
  ASSERT_EQ(products->size(), 3u);
  const InputProducts &first = products->at("w1"), &second = products->at("w2"),
                      &third = products->at("w3");
  EXPECT_EQ(first.taps, 18);
  EXPECT_EQ(first.positions, 5 * 36);
  EXPECT_EQ(second.taps, 9);
  EXPECT_EQ(second.products.size(), 4u);
  EXPECT_EQ(second.positions, 5 * 2 * 4);
  EXPECT_EQ(third.taps, 4);
  EXPECT_EQ(third.positions, 5);
  // The middle tap of the first channel meets every element of the first channel.
  double sum = 0, squares = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    Result<NamedTensors> sample = data.read(i);
    const auto *elements = static_cast<const float *>(sample->at("x").bytes.get());
    for (int64_t j = 0; j < 36; ++j) {
      sum += elements[j];
      squares += static_cast<double>(elements[j]) * elements[j];
    }
  }
  EXPECT_NEAR(first.sums[0][4], sum, 1e-3);
  EXPECT_NEAR(first.products[0][4 * 18 + 4], squares, 1e-3);
  for (int64_t i = 0; i < 18; ++i) {
    for (int64_t j = 0; j < 18; ++j) {
      EXPECT_EQ(first.products[0][i * 18 + j], first.products[0][j * 18 + i]);
    }
  }
}

TEST(ObserveProducts, ResultsRepeat) {
  onnx::ModelProto model = plan::prepareModel(smallNetwork());
  plan::Points points = plan::findPoints(model);
  MemoryDataset data = randomDataset("x", {1, 2, 6, 6}, 6);
  auto one = observeProducts(model, points, {}, nullptr, data, allOf(data), withThreads(2));
  auto two = observeProducts(model, points, {}, nullptr, data, allOf(data), withThreads(2));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->at("w1").products, two->at("w1").products);
  EXPECT_EQ(one->at("w2").products, two->at("w2").products);
}

TEST(ObserveProducts, QuantizesTheInputs) {
  onnx::ModelProto model = plan::prepareModel(smallNetwork());
  plan::Points points = plan::findPoints(model);
  MemoryDataset data = randomDataset("x", {1, 2, 6, 6}, 1);
  plan::Plan plan;
  plan::ActivationPlan input;
  input.tensor = "x";
  input.type = ElementType::I8;
  input.scale = 0.5F; // the values become -1, -0.5, 0, 0.5 and 1
  plan.activations.push_back(input);
  auto products = observeProducts(model, points, {}, &plan, data, {0}, withThreads(1));
  ASSERT_TRUE(bool(products));
  for (double sum : products->at("w1").sums[0]) {
    EXPECT_EQ(sum * 2, std::nearbyint(sum * 2));
  }
}

TEST(ObserveProducts, ManyPositionsAreSampled) {
  onnx::ModelProto model =
      plan::prepareModel(convModel({{1, 1, 200, 200}, {2, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}));
  plan::Points points = plan::findPoints(model);
  MemoryDataset data = randomDataset("x", {1, 1, 200, 200}, 4);
  auto products = observeProducts(model, points, {}, nullptr, data, allOf(data), withThreads(2));
  ASSERT_TRUE(bool(products));
  const InputProducts &found = products->at("w");
  EXPECT_LE(found.positions, 24000);
  EXPECT_GE(found.positions, 10000);
  // Uniform values have the mean square 1 / 3.
  EXPECT_NEAR(found.products[0][0] / static_cast<double>(found.positions), 1.0 / 3, 0.02);
}

} // namespace
