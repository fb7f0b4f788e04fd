// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests `convoy sweep`, and `convoy bench` and `explain` with a device: their output and their
// errors.

#include "Driver/Operators.h"
#include "io/InputData.h"
#include "io/Npy.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gmock/gmock.h>

using namespace convoy;
using namespace convoy::tool;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

namespace {

struct DeviceVerbsTest : tool::test::DriverCase {
  std::string read(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
};

TEST_F(DeviceVerbsTest, SweepsEveryCombination) {
  std::string page = folder.file("sweep.html");
  ASSERT_EQ(convoy({"sweep", op("ConvWithBias"), "--target=abstract", "--pes=4,8", "--memory=1K,1M",
                    "--parallel=in,out", "--json", "--report", page}),
            kDone)
      << err;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value)) << out;
  const llvm::json::Array &points = *value->getAsObject()->getArray("points");
  ASSERT_EQ(points.size(), 8U);
  auto cyclesOf = [&](size_t i) { return *points[i].getAsObject()->getInteger("cycles"); };
  // The last axis varies fastest: 3 is 4 lanes with 1M, output-parallel; 7 has 8 lanes.
  EXPECT_EQ(*points[3].getAsObject()->getString("parallel"), "out");
  EXPECT_EQ(*points[3].getAsObject()->getInteger("regions"), 1);
  EXPECT_EQ(*points[3].getAsObject()->getInteger("cpu_ops"), 0);
  EXPECT_GT(cyclesOf(3), cyclesOf(7));
  EXPECT_GT(cyclesOf(1), cyclesOf(3)); // less memory
  std::string html = read(page);
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  ASSERT_EQ(convoy({"sweep", op("ConvWithBias"), "--target=abstract", "--pes=4,8"}), kDone) << err;
  EXPECT_NE(out.find("pes   cycles  stalls"), std::string::npos) << out;
}

TEST_F(DeviceVerbsTest, SweepsOtherDevices) {
  ASSERT_EQ(convoy({"sweep", op("ConvWithBias"), "--target=abstract", "--pes=4,8",
                    "--devices=abstract:pes=8:memory_bytes=1K,abstract:pes=16", "--json"}),
            kDone)
      << err;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value)) << out;
  const llvm::json::Array &points = *value->getAsObject()->getArray("points");
  ASSERT_EQ(points.size(), 4U);
  const llvm::json::Object &small = *points[2].getAsObject();
  EXPECT_EQ(small.getString("device"), "abstract:pes=8:memory_bytes=1K");
  EXPECT_EQ(small.getInteger("local_bytes"), 1024);
  EXPECT_EQ(small.getBoolean("pareto"), true); // no other device has as little memory
  EXPECT_GT(*small.getInteger("cycles"), *points[1].getAsObject()->getInteger("cycles"));
  EXPECT_EQ(points[3].getAsObject()->getInteger("multipliers"), 16);
  EXPECT_EQ(convoy({"sweep", op("ConvWithBias"), "--target=abstract", "--devices=nothing"}),
            kUserError);
  EXPECT_EQ(err.find("error: --target: `convoy sweep --devices` expects a device, got 'nothing'; "
                     "the devices are "),
            0U)
      << err;
}

TEST_F(DeviceVerbsTest, SweepSaysWhatIsWrong) {
  EXPECT_EQ(convoy({"sweep", op("Relu"), "--target=nothing"}), kUserError);
  EXPECT_EQ(
      err.find("error: --target: `convoy sweep` expects a device, got 'nothing'; the devices are "),
      0U)
      << err;
  EXPECT_EQ(convoy({"sweep", op("Relu"), "--target=abstract", "--pes=0"}), kUserError);
  EXPECT_EQ(
      err, "error: --pes: target 'abstract:pes=0': parameter pes expects a number from 1 to 65536, "
           "got '0'\n");
  EXPECT_EQ(convoy({"sweep", op("ConvWithBias"), "--target=nvdla-small", "--pes=64,128"}),
            kUserError);
  EXPECT_EQ(err,
            "error: --pes: the device 'nvdla-small' has no parameter pes; compare it with other "
            "devices by --devices instead, for example "
            "--devices=nvdla-small-256,nvdla-medium-512,nvdla-large,nvdla-full\n");
  EXPECT_EQ(convoy({"sweep", op("ConvWithBias", false), "--target=example"}), kUserError);
  EXPECT_EQ(err, "error: --target: the simulator of 'example' does not estimate time\n");
}

TEST_F(DeviceVerbsTest, BenchSimulatesTheDeviceAndMeasuresTheRest) {
  std::string json = folder.file("bench.json");
  ASSERT_EQ(convoy({"bench", op("ConvWithBias"), "--target=abstract", "--repetitions=2",
                    "--json=" + json}),
            kDone)
      << err;
  EXPECT_EQ(out.find("model on abstract; times of the device are simulated, not measured\n"), 0U)
      << out;
  EXPECT_NE(out.find("  ConvWithBias\n"), std::string::npos) << out;
  EXPECT_THAT(out, HasSubstr(" ms  simulated: 1 layer in 1 region at 1 GHz\n"));
  EXPECT_THAT(out, HasSubstr(" ms  measured: 0 ops and the copies to and from the device\n"));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(read(json));
  ASSERT_TRUE(bool(value));
  const llvm::json::Object &row = *(*value->getAsArray())[0].getAsObject();
  EXPECT_EQ(*row.getString("device_time"), "simulated");
  EXPECT_GT(*row.getNumber("device_ms"), 0);
  EXPECT_GT(*row.getNumber("cpu_ms"), 0);
  EXPECT_GT(*(*row.getArray("layers"))[0].getAsObject()->getNumber("cycles"), 0);
}

TEST_F(DeviceVerbsTest, StatesTheClockOfTheDevice) {
  ASSERT_EQ(convoy({"explain", quantizedConv(), "--target=nvdla-small"}), kDone) << err;
  EXPECT_THAT(out, ContainsRegex("\n[0-9]+ cycles in 1 layer, [0-9.]+ us at 1 GHz, by the device's "
                                 "model of time\n"));
  EXPECT_THAT(out,
              ContainsRegex("nvdla-small is estimated to take [0-9.]+ us for (this op|these [0-9]+ "
                            "ops) at 1 GHz, one CPU core [0-9.]+ us: "));
  ASSERT_EQ(convoy({"explain", quantizedConv(), "--target=nvdla-small", "--json"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("\"device_ghz\": 1,"));
}

/// Returns a float model of two convolutions with a softmax between them.
std::string twoRegions() {
  onnx::ModelProto proto = convoy::test::unaryModel("Softmax", {"1", "8", "6", "6"});
  onnx::GraphProto &graph = *proto.mutable_graph();
  std::string input = graph.input(0).name(), output = graph.output(0).name();
  onnx::TensorProto &weights = *graph.add_initializer();
  weights.set_name("w");
  weights.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t dim : {8, 8, 1, 1}) {
    weights.add_dims(dim);
  }
  for (int i = 0; i < 64; ++i) {
    weights.add_float_data(static_cast<float>(i % 5) / 8);
  }
  auto addConv = [&](const std::string &name, const std::string &from, const std::string &to) {
    onnx::NodeProto &conv = *graph.add_node();
    conv.set_name(name);
    conv.set_op_type("Conv");
    conv.add_input(from);
    conv.add_input("w");
    conv.add_output(to);
  };
  onnx::NodeProto softmax = graph.node(0);
  graph.clear_node();
  addConv("first", input, "a");
  softmax.set_input(0, "a");
  softmax.set_output(0, "b");
  softmax.set_name("between");
  *graph.add_node() = softmax;
  addConv("second", "b", output);
  return proto.SerializeAsString();
}

TEST_F(DeviceVerbsTest, NamesTheOrderOfPrograms) {
  std::string path = folder.write("net.onnx", twoRegions());
  std::vector<std::string> compile = {"compile",        path, "--target=nvdla-full",
                                      "--emit=program", "-o", folder.file("out")};
  ASSERT_EQ(convoy(compile), kDone) << err;
  EXPECT_THAT(out, HasSubstr("/net_0.nvdla\n"));
  EXPECT_THAT(out, HasSubstr("\nRun the 2 programs in this order:\nprogram  reads"));
  EXPECT_THAT(out,
              ContainsRegex("\nnet_0 +[^\n]*input 'x'[^\n]* 'between' \\(Softmax\\) on the CPU\n"));
  EXPECT_THAT(out, ContainsRegex("\nnet_1 +'between' \\(Softmax\\) on the CPU +[^\n]*output 'y'"));
  compile.push_back("--json");
  ASSERT_EQ(convoy(compile), kDone) << err;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value)) << out;
  const llvm::json::Array &programs = *value->getAsObject()->getArray("programs");
  ASSERT_EQ(programs.size(), 2U) << out;
  EXPECT_EQ(programs[1].getAsObject()->getString("name"), llvm::StringRef("net_1"));
  EXPECT_EQ(programs[1].getAsObject()->getArray("files")->size(), 1U);
}

TEST_F(DeviceVerbsTest, BenchEstimatesADeviceWithoutAClock) {
  ASSERT_EQ(convoy({"bench", op("ConvWithBias", false), "--target=example", "--repetitions=2"}),
            kDone)
      << err;
  EXPECT_EQ(out.find("model on example; times of the device are estimated, not measured\n"), 0U)
      << out;
}

TEST_F(DeviceVerbsTest, BenchOfADeviceRefusesFlagsOfTheCpu) {
  EXPECT_EQ(convoy({"bench", op("Relu"), "--target=abstract", "--layers"}), kUserError);
  EXPECT_NE(
      err.find("--target abstract is a device: `convoy bench` accepts one number of --threads"),
      std::string::npos)
      << err;
}

TEST_F(DeviceVerbsTest, ExplainQuantizesBySamples) {
  std::string path = op("ConvWithBias", /*isQuantized=*/false);
  ASSERT_EQ(convoy({"explain", path, "--target=abstract", "--json"}), kDone) << err;
  EXPECT_EQ(out.find("\"region\": 0"), std::string::npos) << out;
  Model model = driver::operatorModel("ConvWithBias", /*isQuantized=*/false);
  io::InputInfo input = io::dataInputs(model, InputPins()).front();
  convoy::test::TemporaryFolder samples;
  samples.write("one.npy", io::encodeNpy(io::randomTensor(input.type, *input.shape, 1)));
  ASSERT_EQ(
      convoy({"explain", path, "--target=abstract", "--json", "--calibrate", samples.file(".")}),
      kDone)
      << err;
  EXPECT_NE(out.find("\"region\": 0"), std::string::npos) << out;
}

TEST_F(DeviceVerbsTest, ExplainKeepsASoftmaxWhole) {
  ASSERT_EQ(convoy({"explain", op("Softmax"), "--target=abstract"}), kDone) << err;
  EXPECT_EQ(out.find("'Softmax' (Softmax) + "), 0U) << out;
  EXPECT_NE(out.find("CPU: softmax is not split: "), std::string::npos) << out;
  EXPECT_NE(out.find(" steps\n"), std::string::npos) << out;
  EXPECT_EQ(out.find("softmax is not split", out.find("softmax is not split") + 1),
            std::string::npos)
      << out;
}

TEST_F(DeviceVerbsTest, TheMachineBesideADeviceIsNamed) {
  EXPECT_EQ(convoy({"compile", op("Relu"), "--cpu=x86-64-v3", "-o", folder.file("out")}),
            kUserError);
  EXPECT_EQ(
      err, "error: --cpu expects a device as --target, got 'host'; pass the machine as --target\n");
  ASSERT_EQ(convoy({"compile", op("Relu"), "--target=abstract", "--cpu=x86-64-v3", "--emit=c", "-o",
                    folder.file("out")}),
            kDone)
      << err;
  EXPECT_NE(read(folder.file("out/model.h")).find("for target 'x86-64-v3'"), std::string::npos);
}

} // namespace
