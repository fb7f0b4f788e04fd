// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the model that prepareModel returns: the same results, layers with constant weights.

#include "QuantizePlan/test/ParseModel.h"
#include "Support/test/TestFolder.h"

using namespace convoy;
using namespace convoy::plan;
using namespace convoy::plan::test;

namespace {

using Floats = std::vector<float>;

TEST(PrepareModel, FoldsBatchNormalizationIntoAConvolutionWithoutBias) {
  onnx::ModelProto model = prepareModel(parse(R"((float[1, 1, 2, 2] x) => (float[1, 2, 2, 2] y)
      <float[2, 1, 1, 1] w = {1.0, 2.0}, float[2] scale = {3.0, 0.5}, float[2] bias = {1.0, -1.0},
       float[2] mean = {0.5, 4.0}, float[2] variance = {4.0, 1.0}>
      {
        c = Conv (x, w)
        n = BatchNormalization <epsilon = 0.0> (c, scale, bias, mean, variance)
        y = Relu (n)
      })"));
  EXPECT_EQ(opsOf(model), "Conv Relu");
  EXPECT_EQ(producerOf(model, "n").input(2), "w_bias");
  EXPECT_EQ(floatsOf(model, "w"), (Floats{1.5F, 1.0F}));
  EXPECT_EQ(floatsOf(model, "w_bias"), (Floats{0.25F, -3.0F}));
  EXPECT_EQ(model.graph().initializer_size(), 2); // the parameters of the norm are gone
}

TEST(PrepareModel, FoldsBatchNormalizationIntoProducts) {
  onnx::ModelProto gemm = prepareModel(parse(R"((float[1, 1] x) => (float[1, 2] y)
      <float[2, 1] w = {1.0, 2.0}, float[2] b = {1.0, 1.0}, float[2] scale = {2.0, 3.0},
       float[2] bias = {0.0, 1.0}, float[2] mean = {0.5, 0.0}, float[2] variance = {1.0, 1.0}>
      {
        c = Gemm <transB = 1> (x, w, b)
        y = BatchNormalization <epsilon = 0.0> (c, scale, bias, mean, variance)
      })"));
  EXPECT_EQ(opsOf(gemm), "Gemm");
  EXPECT_EQ(floatsOf(gemm, "w"), (Floats{2.0F, 6.0F}));
  EXPECT_EQ(floatsOf(gemm, "b"), (Floats{1.0F, 4.0F}));

  onnx::ModelProto product = parse(R"((float[1, 1] x) => (float[1, 2] y)
      <float[1, 2] w = {1.0, 2.0}, float[2] b = {1.0, 1.0}, float[2] scale = {2.0, 3.0},
       float[2] bias = {0.0, 1.0}, float[2] mean = {0.5, 0.0}, float[2] variance = {1.0, 1.0}>
      {
        c = MatMul (x, w)
        a = Add (c, b)
        y = BatchNormalization <epsilon = 0.0> (a, scale, bias, mean, variance)
      })");
  // The rank of the product is not known, so dimension 1 may not be the last one.
  EXPECT_EQ(opsOf(prepareModel(product)), "MatMul Add BatchNormalization");
  onnx::ValueInfoProto &info = *product.mutable_graph()->add_value_info();
  info = product.graph().output(0);
  info.set_name("a");
  onnx::ModelProto folded = prepareModel(product);
  EXPECT_EQ(opsOf(folded), "MatMul Add");
  EXPECT_EQ(floatsOf(folded, "w"), (Floats{2.0F, 6.0F}));
  EXPECT_EQ(floatsOf(folded, "b"), (Floats{1.0F, 4.0F}));
}

TEST(PrepareModel, CopiesWeightsThatAnotherLayerReads) {
  onnx::ModelProto model = prepareModel(parse(R"((float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y)
      <float[1, 1, 1, 1] w = {2.0}, float[1] scale = {3.0}, float[1] bias = {0.0},
       float[1] mean = {0.0}, float[1] variance = {1.0}>
      {
        c = Conv (x, w)
        n = BatchNormalization <epsilon = 0.0> (c, scale, bias, mean, variance)
        y = Conv (n, w)
      })"));
  EXPECT_EQ(floatsOf(model, "w"), (Floats{2.0F}));
  EXPECT_EQ(producerOf(model, "n").input(1), "w_folded");
  EXPECT_EQ(floatsOf(model, "w_folded"), (Floats{6.0F}));
}

TEST(PrepareModel, KeepsBatchNormalizationOfASharedResult) {
  onnx::ModelProto model = parse(R"((float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y)
      <float[1, 1, 1, 1] w = {2.0}, float[1] p = {1.0}>
      {
        c = Conv (x, w)
        n = BatchNormalization (c, p, p, p, p)
        y = Add (n, c)
      })");
  EXPECT_EQ(opsOf(prepareModel(model)), "Conv BatchNormalization Add");
}

TEST(PrepareModel, RemovesConstantsRenamesAndDeadNodes) {
  onnx::ModelProto model = prepareModel(parse(R"((float[2] x) => (float[2] y)
      <float[2] unused = {1.0, 2.0}>
      {
        k = Constant <value_floats = [1.0, 2.0]> ()
        i = Identity (x)
        d = Dropout (i)
        s = Add (d, k)
        dead = Exp (s)
        y = Identity (s)
      })"));
  EXPECT_EQ(opsOf(model), "Add");
  EXPECT_EQ(model.graph().node(0).input(0), "x");
  EXPECT_EQ(model.graph().node(0).output(0), "y");
  EXPECT_EQ(floatsOf(model, "k"), (Floats{1.0F, 2.0F}));
  EXPECT_EQ(model.graph().initializer_size(), 1);
}

TEST(PrepareModel, KeepsADropoutInTraining) {
  onnx::ModelProto model = parse(R"((float[2] x) => (float[2] y)
      <float rate = {0.5}, bool mode = {1}> { y = Dropout (x, rate, mode) })");
  EXPECT_EQ(opsOf(prepareModel(model)), "Dropout");
}

TEST(PrepareModel, FoldsOpsOnWeights) {
  onnx::ModelProto model = prepareModel(parse(R"((float[1, 4] x) => (float[1, 2] y)
      <float[2, 2, 2] stored = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}, int64[2] shape = {2, -1}>
      {
        matrix = Reshape (stored, shape)
        w = Transpose <perm = [1, 0]> (matrix)
        y = MatMul (x, w)
      })"));
  EXPECT_EQ(opsOf(model), "MatMul");
  EXPECT_EQ(shapeOf(model, "w"), (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(floatsOf(model, "w"), (Floats{1, 5, 2, 6, 3, 7, 4, 8}));
}

TEST(PrepareModel, FoldsIntegerWeightsOfAFloatModelOnly) {
  std::string weights = R"(<int8[2, 1, 1, 1] q = {4, -8}, float[2] scale = {0.5, 0.25},
      float step = {0.1}, uint8 zero = {3}>)";
  onnx::ModelProto model =
      prepareModel(parse("(float[1, 1, 2, 2] x) => (float[1, 2, 2, 2] y)" + weights + R"({
        w = DequantizeLinear <axis = 0> (q, scale)
        y = Conv (x, w)
      })"));
  EXPECT_EQ(opsOf(model), "Conv");
  EXPECT_EQ(floatsOf(model, "w"), (Floats{2.0F, -2.0F}));
  onnx::ModelProto quantized =
      prepareModel(parse("(float[1, 1, 2, 2] x) => (float[1, 2, 2, 2] y)" + weights + R"({
        i = QuantizeLinear (x, step, zero)
        d = DequantizeLinear (i, step, zero)
        w = DequantizeLinear <axis = 0> (q, scale)
        y = Conv (d, w)
      })"));
  EXPECT_EQ(opsOf(quantized), "QuantizeLinear DequantizeLinear DequantizeLinear Conv");
}

TEST(PrepareModel, InitializersAreNoInputs) {
  onnx::ModelProto model = parse(R"((float[1, 1] x, float[2] stored) => (float[1, 2] y)
      <float[2] stored = {1.0, 2.0}, int64[2] shape = {1, 2}>
      { w = Reshape (stored, shape) y = MatMul (x, w) })",
                                 8);
  model.set_ir_version(3);
  onnx::ModelProto prepared = prepareModel(model);
  EXPECT_EQ(prepared.ir_version(), 4);
  EXPECT_EQ(prepared.opset_import(0).version(), 8);
  ASSERT_EQ(prepared.graph().input_size(), 1);
  EXPECT_EQ(prepared.graph().input(0).name(), "x");
}

TEST(PrepareModel, FoldsTheFactorsOfGemm) {
  onnx::ModelProto model = prepareModel(parse(R"((float[1, 1] x) => (float[1, 2] y)
      <float[1, 2] w = {1.0, 2.0}, float[2] b = {1.0, 4.0}>
      { y = Gemm <alpha = 2.0, beta = 0.5> (x, w, b) })"));
  EXPECT_EQ(model.graph().node(0).attribute_size(), 0);
  EXPECT_EQ(floatsOf(model, "w"), (Floats{2.0F, 4.0F}));
  EXPECT_EQ(floatsOf(model, "b"), (Floats{0.5F, 2.0F}));
}

TEST(LoadExternalData, CopiesTheFileIntoTheModel) {
  onnx::ModelProto model = parse(
      "(float[1, 1] x) => (float[1, 2] y) <float[1, 2] w = {0.0, 0.0}> { y = MatMul (x, w) }");
  onnx::TensorProto &weights = *model.mutable_graph()->mutable_initializer(0);
  weights.clear_float_data();
  weights.set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto &location = *weights.add_external_data();
  location.set_key("location");
  location.set_value("w.bin");
  EXPECT_TRUE(pointsOf(model).layers.empty());
  convoy::test::TemporaryFolder folder;
  EXPECT_EQ(
      llvm::toString(loadExternalData(model, folder.path())),
      "tensor 'w' has external data 'w.bin': No such file or directory; copy the file into the "
      "model's directory");
  const float values[] = {1.5F, -2};
  folder.write("w.bin", std::string(reinterpret_cast<const char *>(values), sizeof(values)));
  EXPECT_EQ(llvm::toString(loadExternalData(model, folder.path())), "");
  EXPECT_EQ(floatsOf(model, "w"), (Floats{1.5F, -2}));
  EXPECT_EQ(pointsOf(model).layers.size(), 1U);
}

} // namespace
