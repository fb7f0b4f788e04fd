// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests `convoy quantize` on a linear classifier of synthetic clusters: the accuracy bound, the
// words when the data proves too little, the ledger, the files, and the errors.

#include "io/Npy.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <random>

using namespace convoy;
using namespace convoy::tool;

namespace {

constexpr int64_t kFeatures = 16, kClasses = 4;

/// Returns the center of a class in one feature.
float centerOf(int64_t label, int64_t feature) {
  return feature % kClasses == label ? 1.0F : 0.1F * static_cast<float>((feature + label) % 3);
}

void addFloats(onnx::GraphProto &graph, const std::string &name, std::vector<int64_t> dims,
               const std::vector<float> &values) {
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t dim : dims) {
    tensor.add_dims(dim);
  }
  for (float value : values) {
    tensor.add_float_data(value);
  }
}

struct QuantizeTest : tool::test::DriverCase {
  QuantizeTest() { path = classifier(); }

  /// Writes scores = Gemm(Relu(Gemm(x))), with the centers of the classes as weights.
  std::string classifier(float lastWeight = 1, float lastBias = 0) {
    onnx::ModelProto proto;
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(17);
    onnx::GraphProto &graph = *proto.mutable_graph();
    convoy::test::setType(*graph.add_input(), "x", onnx::TensorProto::FLOAT, {"1", "16"});
    convoy::test::setType(*graph.add_output(), "scores", onnx::TensorProto::FLOAT, {"1", "4"});
    std::vector<float> first, second(kClasses * kClasses, -0.25F);
    for (int64_t feature = 0; feature < kFeatures; ++feature) {
      for (int64_t label = 0; label < kClasses; ++label) {
        first.push_back(centerOf(label, feature) - 0.3F);
      }
    }
    for (int64_t label = 0; label < kClasses; ++label) {
      second[label * (kClasses + 1)] = 1;
    }
    second.back() = lastWeight;
    addFloats(graph, "w1", {kFeatures, kClasses}, first);
    addFloats(graph, "b1", {kClasses}, {0.1F, 0.1F, 0.1F, 0.1F});
    addFloats(graph, "w2", {kClasses, kClasses}, second);
    addFloats(graph, "b2", {kClasses}, {0, 0, 0, lastBias});
    addNode(graph, "Gemm", {"x", "w1", "b1"}, "sums");
    addNode(graph, "Relu", {"sums"}, "hidden");
    addNode(graph, "Gemm", {"hidden", "w2", "b2"}, "scores");
    return model(proto);
  }

  static void addNode(onnx::GraphProto &graph, const std::string &op,
                      const std::vector<std::string> &inputs, const std::string &output) {
    onnx::NodeProto &node = *graph.add_node();
    node.set_op_type(op);
    node.set_name("node_" + output);
    for (const std::string &input : inputs) {
      node.add_input(input);
    }
    node.add_output(output);
  }

  /// Writes samples and labels; returns the flags that name them.
  std::vector<std::string> data(int64_t samples, bool hasLabels = true) {
    std::mt19937 random(7); // its numbers are the same everywhere, those of distributions are not
    Tensor x(ElementType::F32, {samples, kFeatures}), y(ElementType::I64, {samples});
    for (int64_t i = 0; i < samples; ++i) {
      int64_t label = i % kClasses;
      y.setInt(i, label);
      for (int64_t feature = 0; feature < kFeatures; ++feature) {
        double noise = (static_cast<double>(random() % 20001) - 10000) / 10000;
        x.setDouble(i * kFeatures + feature, centerOf(label, feature) + 1.2 * noise);
      }
    }
    std::vector<std::string> flags = {"--data", folder.write("x.npy", io::encodeNpy(x))};
    if (hasLabels) {
      flags.insert(flags.end(), {"--labels", folder.write("y.npy", io::encodeNpy(y))});
    }
    return flags;
  }

  ExitCode quantize(const std::vector<std::string> &dataFlags,
                    const std::vector<std::string> &flags = {}) {
    std::vector<std::string> arguments = {"quantize", path,       "-o",
                                          output(),   "--ledger", folder.file("proofs.json")};
    arguments.insert(arguments.end(), dataFlags.begin(), dataFlags.end());
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return convoy(arguments);
  }

  std::string output() { return folder.file("quantized.onnx"); }

  static std::string read(const std::string &file) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  std::map<std::string, std::string> metadata() {
    onnx::ModelProto proto;
    EXPECT_TRUE(proto.ParseFromString(read(output())));
    std::map<std::string, std::string> entries;
    for (const onnx::StringStringEntryProto &entry : proto.metadata_props()) {
      entries[entry.key()] = entry.value();
    }
    return entries;
  }

  void expectError(const std::string &words) {
    EXPECT_NE(err.find(words), std::string::npos) << err;
  }

  std::string path;
};

TEST_F(QuantizeTest, ReportsAFolderThatCannotExistBeforeItQuantizes) {
  std::string page = folder.write("file", "") + "/page.html";
  EXPECT_EQ(quantize(data(10), {"--report", page}), kUserError);
  expectError("error: --report: cannot ");
  EXPECT_EQ(err.find("samples"), std::string::npos) << err;
}

TEST_F(QuantizeTest, QuantizesForAMicrocontroller) {
  for (const std::string &target : {"cortex-m4", "cortex-m55", "rv32imc"}) {
    ASSERT_EQ(quantize(data(3000), {"--proof", "off", "--target", target}), kDone) << err;
    EXPECT_NE(out.find("(predicted for " + target + ", one core)"), std::string::npos) << out;
    EXPECT_NE(
        read(folder.file("quantized.plan.json")).find("\"tensor\": \"hidden\", \"type\": \"i8\""),
        std::string::npos);
    onnx::ModelProto proto;
    ASSERT_TRUE(proto.ParseFromString(read(output())));
    EXPECT_EQ(proto.graph().input(0).type().tensor_type().elem_type(), onnx::TensorProto::INT8);
    EXPECT_EQ(proto.graph().output(0).type().tensor_type().elem_type(), onnx::TensorProto::INT8);
    ASSERT_EQ(convoy({"explain", output(), "--target", target}), kDone) << err;
    EXPECT_NE(out.find("conv_bytes  'node_sums'"), std::string::npos) << out;
  }
  ASSERT_EQ(quantize(data(3000), {"--proof", "off", "--target", "cortex-m4", "--ends", "float"}),
            kDone)
      << err;
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(read(output())));
  EXPECT_EQ(proto.graph().input(0).type().tensor_type().elem_type(), onnx::TensorProto::FLOAT);
}

TEST_F(QuantizeTest, CompileWarnsOfConversionsThatTheTargetHasOnlyInGenericLoops) {
  // The model for the host has float inputs and outputs, which a small model mostly converts.
  ASSERT_EQ(quantize(data(3000), {"--proof", "off"}), kDone) << err;
  ASSERT_EQ(convoy({"compile", output(), "--target=cortex-m4", "-o", folder.file("c")}), kDone);
  expectError("warning: generic loops take ");
  expectError(" % of the predicted time on cortex-m4 (");
  expectError("(2 of 4 kernels): 'x_QuantizeLinear' (QuantizeLinear): no template has these ops; ");
  expectError("; `convoy explain --target=cortex-m4` lists all reasons; if the model is quantized "
              "for another target, quantize the float model with `convoy quantize "
              "--target=cortex-m4`\n");
  ASSERT_EQ(quantize(data(3000), {"--proof", "off", "--target", "cortex-m4"}), kDone) << err;
  EXPECT_EQ(err.find("generic loops"), std::string::npos) << err;
  ASSERT_EQ(convoy({"compile", output(), "--target=cortex-m4", "-o", folder.file("c")}), kDone);
  EXPECT_EQ(err.find("generic loops"), std::string::npos) << err;
}

TEST_F(QuantizeTest, PromisesADropAndWritesModelPlanAndPage) {
  std::string page = folder.file("page.html");
  ASSERT_EQ(quantize(data(3000), {"--max-drop", "3%", "--report", page}), kDone) << err;
  EXPECT_NE(out.find("bound      the drop of the accuracy is at most 3.00 % (upper bound "),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("with 95 % confidence)"), std::string::npos) << out;
  EXPECT_NE(out.find("wrote " + output() + "\n"), std::string::npos) << out;
  std::map<std::string, std::string> entries = metadata();
  EXPECT_EQ(entries["convoy.promise"], "0.030000");
  EXPECT_EQ(entries["convoy.confidence"], "0.950000");
  EXPECT_EQ(entries["convoy.float_model_sha256"].size(), 64U);
  EXPECT_EQ(entries["convoy.proof_data_sha256"].size(), 64U);
  EXPECT_NE(read(folder.file("quantized.plan.json")).find("hidden"), std::string::npos);
  EXPECT_NE(read(page).find("<svg"), std::string::npos);
  EXPECT_EQ(convoy({"run", output(), "--input", "random"}), kDone) << err;
}

TEST_F(QuantizeTest, SaysWhatTheDataCannotProve) {
  std::vector<std::string> few = data(300);
  EXPECT_EQ(quantize(few, {"--max-drop", "0.01%", "--attempts", "2"}), kUserError);
  expectError("error: --max-drop: expected a proof of at most 0.01 %; ");
  expectError(
      "accuracy bound: none for 0.01 %: these samples prove a drop of the accuracy of at most ");
  expectError(" with 97.5 % confidence");
  expectError("No file was written. Add samples, or write the model without an accuracy bound with "
              "--allow-unproven");
  EXPECT_FALSE(llvm::sys::fs::exists(output()));
  EXPECT_EQ(quantize(few, {"--max-drop", "0.01%", "--attempts", "2", "--allow-unproven"}), kDone)
      << err;
  EXPECT_EQ(metadata()["convoy.promise"], "none");
}

TEST_F(QuantizeTest, RefusesMoreProofsThanDeclared) {
  std::vector<std::string> flags = data(2000);
  EXPECT_EQ(quantize(flags, {"--max-drop", "5%"}), kDone) << err;
  EXPECT_EQ(quantize(flags, {"--max-drop", "5%"}), kUserError);
  expectError("cannot prove again on this data");
}

TEST_F(QuantizeTest, WithoutProofLeavesTheLedgerAlone) {
  std::vector<std::string> flags = data(500);
  EXPECT_EQ(quantize(flags, {"--proof", "off"}), kDone) << err;
  EXPECT_NE(out.find("bound      none: --proof off left the proof split unread\n"),
            std::string::npos)
      << out;
  EXPECT_FALSE(llvm::sys::fs::exists(folder.file("proofs.json")));
  EXPECT_EQ(metadata()["convoy.promise"], "none");
}

TEST_F(QuantizeTest, WithoutLabelsBoundsChangedAnswers) {
  EXPECT_EQ(quantize(data(2000, /*hasLabels=*/false), {"--max-drop", "5%"}), kDone) << err;
  EXPECT_NE(out.find("of the answers differ from the float model on "), std::string::npos) << out;
  EXPECT_NE(out.find("bound      the share of changed answers is at most 5.00 %"),
            std::string::npos)
      << out;
}

TEST_F(QuantizeTest, APlanGivesTheSameModelAgain) {
  std::vector<std::string> flags = data(500);
  ASSERT_EQ(quantize(flags, {"--proof", "off", "--rounding", "nearest"}), kDone) << err;
  std::string first = read(output()), plan = folder.file("edited.json");
  ASSERT_FALSE(llvm::sys::fs::copy_file(folder.file("quantized.plan.json"), plan));
  ASSERT_EQ(quantize(flags, {"--proof", "off", "--plan", plan}), kDone) << err;
  EXPECT_EQ(read(output()), first);
  EXPECT_EQ(quantize(flags, {"--proof", "off", "--plan", folder.file("none.json")}), kUserError);
  expectError("error: --plan: ");
}

TEST_F(QuantizeTest, FourBitWeightsAreSmaller) {
  std::vector<std::string> flags = data(500);
  ASSERT_EQ(quantize(flags, {"--proof", "off", "--weight-bits", "4"}), kDone) << err;
  EXPECT_NE(out.find("weights    40 bytes, 100.00 % in 4 bits\n"), std::string::npos) << out;
  EXPECT_EQ(quantize(flags, {"--proof", "off", "--weight-bits", "4", "--target", "nvdla-small"}),
            kUnsupported);
  expectError(
      "error: --weight-bits 4: not supported on target 'nvdla-small', which has 8-bit weights; "
      "use --weight-bits 8\n");
}

// The ledger refuses before the float model runs, and a proof is about one target.
TEST_F(QuantizeTest, TheLedgerRefusesAtTheStartAndKnowsTheTarget) {
  std::vector<std::string> flags = data(3000);
  ASSERT_EQ(quantize(flags, {"--max-drop", "5%"}), kDone) << err;
  EXPECT_EQ(quantize(flags, {"--max-drop", "5%", "--json"}), kUserError);
  EXPECT_NE(err.find("error: cannot prove again on this data"), std::string::npos) << err;
  EXPECT_EQ(err.find("step"), std::string::npos) << err;
  EXPECT_EQ(quantize(flags, {"--max-drop", "5%", "--target", "x86-64-v2"}), kDone) << err;
}

TEST_F(QuantizeTest, TheOutputCanBeAFolder) {
  std::vector<std::string> arguments = {"quantize", path, "-o", folder.file("quantized"),
                                        "--proof=off"};
  for (const std::string &flag : data(3000)) {
    arguments.push_back(flag);
  }
  EXPECT_EQ(convoy(arguments), kDone) << err;
  EXPECT_TRUE(llvm::sys::fs::exists(folder.file("quantized/model-int8.onnx")));
  EXPECT_TRUE(llvm::sys::fs::exists(folder.file("quantized/model-int8.plan.json")));
}

TEST_F(QuantizeTest, PrintsJson) {
  ASSERT_EQ(quantize(data(500), {"--proof", "off", "--json"}), kDone) << err;
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(out);
  ASSERT_TRUE(bool(json)) << out;
  const llvm::json::Object &object = *json->getAsObject();
  EXPECT_EQ(object.getString("target"), std::optional<llvm::StringRef>("host"));
  EXPECT_EQ(object.getArray("files")->size(), 2U);
  EXPECT_FALSE(object.getArray("sensitivity")->empty());
}

TEST_F(QuantizeTest, ErrorsNameTheFlag) {
  std::vector<std::string> flags = data(500);
  struct Case {
    std::vector<std::string> flags;
    std::string error;
  };
  const Case cases[] = {
      {{"--max-drop", "0.5"}, "--max-drop: expected a percentage such as 0.5%, got '0.5'"},
      {{"--max-drop", "0%"},
       "--max-drop: expects more than 0%; no number of samples excludes "
       "every drop"},
      {{"--min-4bit-share", "50%"},
       "--min-4bit-share: expects --weight-bits auto, which chooses the "
       "width of each layer"},
      {{"--select-share", "90%"},
       "--select-share: expects more than 0% and at most 80%, because "
       "the rest proves"},
      {{"--calibrate-share", "0%"},
       "--calibrate-share: expects more than 0% and, with "
       "--select-share, at most 90%, because the rest proves"},
      {{"--calibrate-share", "20%", "--calibration-data", "x"},
       "--calibrate-share: has no effect: --calibration-data names the samples"},
      {{"--proof", "off", "--attempts", "2"},
       "--attempts: expects --proof on; --proof off proves nothing"},
      {{"--max-ram", "0"}, "--max-ram: expected a size such as 512K, 1M or 16KiB, got '0'"},
      {{"--weight-bits", "6"}, "--weight-bits: expected 8, 4 or auto, got '6'"},
      {{"--target", "bm1881"}, "--target: unknown target 'bm1881'; did you mean bm1880?"},
      {{"--max-latency", "1ns", "--proof", "off"}, "no plan is within the limits: "}};
  for (const Case &test : cases) {
    EXPECT_EQ(quantize(flags, test.flags), kUserError) << test.error;
    expectError("error: " + test.error);
  }
  EXPECT_EQ(convoy({"quantize", path, "-o", output()}), kUserError);
  expectError("--data");
}

TEST_F(QuantizeTest, RefusesWeightsThatAreNoNumbers) {
  path = classifier(std::nanf(""));
  EXPECT_EQ(quantize(data(400)), kUserError);
  expectError("error: layer 'node_scores': weight 'w2' has 1 of 16 elements that are NaN or "
              "infinite; expected numbers; export the model again\n");
  path = classifier(1, INFINITY);
  EXPECT_EQ(quantize(data(400)), kUserError);
  expectError("error: layer 'node_scores': weight 'b2' has 1 of 4 elements that are NaN or "
              "infinite; expected numbers; export the model again\n");
}

TEST_F(QuantizeTest, AModelThatAnswersNaNHasNoBound) {
  Tensor x(ElementType::F32, {400, kFeatures}), y(ElementType::I64, {400});
  for (int64_t i = 0; i < x.size(); ++i) {
    x.setDouble(i, i % kFeatures == 0 ? std::nan("") : static_cast<double>(i % 251));
  }
  EXPECT_EQ(quantize({"--data", folder.write("nan.npy", io::encodeNpy(x)), "--labels",
                      folder.write("zero.npy", io::encodeNpy(y))}),
            kUserError);
  expectError("error: the output of the float model has a NaN on each of ");
  expectError(" samples, so there is no accuracy to keep; check the weights of the model and the "
              "preprocessing of the data\n");
}

TEST_F(QuantizeTest, RefusesModelsWithNothingToQuantize) {
  std::vector<std::string> flags = data(500);
  path = model(convoy::test::unaryModel("Relu", {"1", "16"}));
  EXPECT_EQ(quantize(flags), kUserError);
  expectError(
      "error: the model has no float convolution or matmul with constant weights, so there is "
      "nothing to quantize\n");
}

TEST_F(QuantizeTest, RefusesQuantizedModels) {
  ASSERT_EQ(quantize(data(500), {"--proof", "off"}), kDone) << err;
  path = folder.file("again.onnx");
  ASSERT_FALSE(llvm::sys::fs::copy_file(output(), path));
  EXPECT_EQ(quantize(data(500), {"--proof", "off"}), kUserError);
  expectError("error: the model is quantized already: node '");
  expectError("' is a QuantizeLinear; expected a float model\n");
}

TEST_F(QuantizeTest, RefusesTooFewSamples) {
  EXPECT_EQ(quantize(data(2)), kUserError);
  expectError("error: --data: 2 samples are too few for three parts (calibrate ");
}

} // namespace
