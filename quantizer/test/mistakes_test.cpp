// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the finder of mistakes on models of one or two nodes, and the words of its texts.
// mistakes_shared_test.cpp seeds mistakes on trained models.

#include "io/test/DatasetCase.h"
#include "quantizer/mistakes/Mistakes.h"
#include <numeric>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

constexpr int64_t kImages = 400, kSide = 4;

struct MistakesTest : convoy::test::DatasetCase {
  /// Writes images whose pixels are uniform, with one brighter channel, which is the label.
  void SetUp() override {
    Tensor images(ElementType::U8, {kImages, kSide, kSide, 3}), labels(ElementType::U8, {kImages});
    uint32_t state = 1;
    for (int64_t i = 0; i < kImages; ++i) {
      labels.setInt(i, i % 3);
      for (int64_t k = 0; k < kSide * kSide * 3; ++k) {
        state = state * 1664525 + 1013904223;
        int64_t value = state >> 25;
        images.setInt(i * kSide * kSide * 3 + k, k % 3 == i % 3 ? 255 - value : value);
      }
    }
    flags.data = folder.write("images.npy", io::encodeNpy(images));
    flags.labels = folder.write("labels.npy", io::encodeNpy(labels));
  }

  /// Returns a model whose outputs are the means of the channels.
  static Model means() {
    onnx::ModelProto proto = convoy::test::unaryModel("GlobalAveragePool", {"1", "3", "4", "4"});
    convoy::test::setType(*proto.mutable_graph()->mutable_output(0), "y", onnx::TensorProto::FLOAT,
                          {"1", "3", "1", "1"});
    return convoy::test::loaded(proto);
  }

  /// Returns a convolution that copies the channels, and a BatchNormalization of values from 0
  /// to 1.
  static Model normalized() {
    onnx::ModelProto proto = convoy::test::unaryModel("Conv", {"1", "3", "4", "4"});
    onnx::GraphProto &graph = *proto.mutable_graph();
    graph.mutable_node(0)->add_input("w");
    graph.mutable_node(0)->set_output(0, "c");
    onnx::NodeProto &norm = *graph.add_node();
    norm.set_op_type("BatchNormalization");
    norm.set_name("norm");
    for (const char *name : {"c", "one", "zero", "mean", "variance"}) {
      norm.add_input(name);
    }
    norm.add_output("y");
    auto add = [&](const char *name, const std::vector<int64_t> &dims, std::vector<float> values) {
      onnx::TensorProto &tensor = *graph.add_initializer();
      tensor.set_name(name);
      tensor.set_data_type(onnx::TensorProto::FLOAT);
      tensor.mutable_dims()->Add(dims.begin(), dims.end());
      tensor.mutable_float_data()->Add(values.begin(), values.end());
    };
    add("w", {3, 3, 1, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
    add("one", {3}, {1, 1, 1});
    add("zero", {3}, {0, 0, 0});
    add("mean", {3}, {0.42F, 0.42F, 0.42F});
    add("variance", {3}, {0.075F, 0.075F, 0.075F});
    return convoy::test::loaded(proto);
  }

  std::vector<Mistake> find(const Model &model) {
    Problems problems;
    auto data = io::openDataset(flags, model, {}, "--data", problems);
    EXPECT_TRUE(data) << problems.firstError();
    std::vector<size_t> samples(data->size());
    std::iota(samples.begin(), samples.end(), 0);
    Result<std::vector<Mistake>> found = findMistakes(model, {}, *data, samples, {});
    EXPECT_TRUE(found) << found.problems().firstError();
    return found ? *found : std::vector<Mistake>();
  }

  io::DatasetFlags flags;
};

TEST_F(MistakesTest, TheRightFormHasNoMistake) {
  EXPECT_TRUE(find(means()).empty());
  flags.labels.clear();
  EXPECT_TRUE(find(normalized()).empty());
  EXPECT_TRUE(find(means()).empty()) << "a model without BatchNormalization has no evidence";
}

TEST_F(MistakesTest, NamesTheChannelOrder) {
  flags.image.color = io::Color::Bgr;
  std::vector<Mistake> found = find(means());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, MistakeKind::ChannelOrder);
  EXPECT_EQ(found[0].severity, Severity::Warning);
  EXPECT_EQ(found[0].text.find("the channels are in the wrong order: of 300 samples, "), 0U)
      << found[0].text;
  EXPECT_NE(found[0].text.find(" % are right as given and 100.0 % with the remedy (p = "),
            std::string::npos)
      << found[0].text;
  EXPECT_NE(found[0].text.find("; use --color rgb"), std::string::npos) << found[0].text;
}

TEST_F(MistakesTest, NamesLabelsThatAreOffByOne) {
  Tensor labels(ElementType::U8, {kImages});
  for (int64_t i = 0; i < kImages; ++i) {
    labels.setInt(i, (i + 1) % 3);
  }
  // With three classes, one class more is two classes less, so only one shift fits most samples.
  flags.labels = folder.write("shifted.npy", io::encodeNpy(labels));
  std::vector<Mistake> found = find(means());
  auto isLabels = [](const Mistake &mistake) { return mistake.kind == MistakeKind::Labels; };
  auto mistake = std::find_if(found.begin(), found.end(), isLabels);
  ASSERT_NE(mistake, found.end());
  EXPECT_EQ(mistake->text.find("the labels are off by one: of 300 samples, 0.0 % are right as "
                               "given and "),
            0U)
      << mistake->text;
  EXPECT_NE(mistake->text.find("; subtract 1 from each label"), std::string::npos);
}

TEST_F(MistakesTest, NamesLabelsOfOtherSamples) {
  Tensor labels(ElementType::U8, {kImages});
  uint32_t state = 7;
  for (int64_t i = 0; i < kImages; ++i) {
    state = state * 1664525 + 1013904223;
    labels.setInt(i, (state >> 20) % 3);
  }
  flags.labels = folder.write("shuffled.npy", io::encodeNpy(labels));
  std::vector<Mistake> found = find(means());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, MistakeKind::Labels);
  EXPECT_EQ(found[0].severity, Severity::Warning);
  EXPECT_EQ(found[0].text.find("the answers of the float model are independent of the labels: of "
                               "300 samples, "),
            0U)
      << found[0].text;
  EXPECT_NE(found[0].text.find(" % right; the labels belong to other samples, or the model has "
                               "other classes: check the order of --labels and of the samples"),
            std::string::npos)
      << found[0].text;
}

TEST_F(MistakesTest, NamesInvertedImages) {
  Tensor images(ElementType::U8, {kImages, kSide, kSide, 3});
  for (int64_t i = 0; i < images.size(); ++i) {
    bool isOfLabel = i % 3 == i / (kSide * kSide * 3) % 3;
    images.setInt(i, isOfLabel ? i % 31 : 40 + i % 61); // the label has the darkest channel
  }
  flags.data = folder.write("inverted.npy", io::encodeNpy(images));
  std::vector<Mistake> found = find(means());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, MistakeKind::Inversion);
  EXPECT_EQ(found[0].text.find("the images are inverted: of 300 samples, 0.0 % are right as given "
                               "and 100.0 % with the remedy"),
            0U)
      << found[0].text;
  EXPECT_NE(found[0].text.find("; use --scale -0.00392157 --mean -1 --std 1"), std::string::npos)
      << found[0].text;
}

TEST_F(MistakesTest, BatchNormalizationNamesTheRange) {
  flags.labels.clear();
  flags.image.scale = {1};
  std::vector<Mistake> found = find(normalized());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, MistakeKind::Range);
  EXPECT_EQ(found[0].text.find("the values are 255 times too large: the first convolution of 100 "
                               "samples differs from the statistics of the batch normalization "
                               "'norm' by "),
            0U)
      << found[0].text;
  EXPECT_NE(found[0].text.find(" (median divergence of the channels); use --scale 0.00392157"),
            std::string::npos)
      << found[0].text;
}

TEST_F(MistakesTest, ArraysAreChangedInPlaceOfFlags) {
  Tensor rows(ElementType::F32, {kImages, 3, kSide, kSide});
  Tensor images = llvm::cantFail(io::readNpy(flags.data));
  for (int64_t i = 0; i < images.size(); ++i) {
    int64_t image = i / 48, pixel = i % 48 / 3, channel = i % 3;
    rows.setDouble(image * 48 + (2 - channel) * 16 + pixel, images.asDouble(i));
  }
  flags.data = folder.write("rows.npy", io::encodeNpy(rows));
  std::vector<Mistake> found = find(means());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, MistakeKind::ChannelOrder);
  EXPECT_NE(found[0].text.find("; reverse the channels of the array"), std::string::npos)
      << found[0].text;
}

TEST(ActivationMistakes, NamesDeadChannelsOutliersAndSaturation) {
  TensorStatistics dead, outlier, input;
  dead.channelVariances = {1, 0, 0, 2};
  outlier.range = {0, 100};
  outlier.histogramHigh = 100;
  outlier.histogram.assign(2048, 0);
  outlier.histogram[0] = 99999;
  outlier.histogram[2047] = 1;
  outlier.count = 100000;
  input.range = {0, 1};
  input.histogramHigh = 1;
  input.histogram.assign(2048, 1);
  input.histogram[2047] = 500;
  input.count = 2547;
  std::vector<Mistake> found =
      findActivationMistakes({{"a", dead}, {"b", outlier}, {"x", input}}, {"x"});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].text, "tensor 'a': 2 of 4 channels are constant on all samples; remove them "
                           "from the model or use samples that reach them");
  EXPECT_EQ(found[1].text, "tensor 'b': 0.01 % of the values make its range 2048.0 times wider; "
                           "use --clip mse or check the samples");
  EXPECT_EQ(found[2].text, "input 'x': 20 % of the values are at its maximum; check that the "
                           "samples are not clipped");
  for (const Mistake &mistake : found) {
    EXPECT_EQ(mistake.severity, Severity::Note);
  }
  EXPECT_TRUE(findActivationMistakes({{"x", input}}, {"y"}).empty());
}

} // namespace
