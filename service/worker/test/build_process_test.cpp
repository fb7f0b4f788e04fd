// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process of a builder keeps the results of the reference of tasks that it has dropped.

#include "Support/TemporaryFolder.h"
#include "Support/test/TestFolder.h"
#include "Targets/Target.h"
#include "io/test/TestModel.h"
#include "service/queue/Messages.h"
#include "service/worker/BuildProcess.h"
#include "tuning/space/test/TestKernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::service;

namespace {

/// Builds a convolution and returns the expected results.
std::string expectedOf(BuildProcess &process, const tuning::Task &task) {
  BuildAnswer answer = llvm::cantFail(process.build(
      task.text, targets::toJson(targets::detectHost()), {"loops", 1, "", "planar", "planar"}, 20));
  EXPECT_EQ(answer.outcome, tuning::Outcome::Ok) << answer.message;
  auto buffer = llvm::MemoryBuffer::getFile(answer.candidate.outputs.front().expected);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

TEST(BuildProcess, runs_the_reference_once_per_task) {
  TemporaryFolder folder;
  ASSERT_FALSE(folder.createInSystem());
  BuildProcess process = llvm::cantFail(BuildProcess::start(folder.path().str()));
  std::vector<tuning::Task> tasks;
  for (int channels = 1; channels <= 17; ++channels) { // one more than the process keeps
    tasks.push_back(tuning::test::convTask({channels, 8, 4, 3, 1}));
  }
  std::vector<std::string> expected;
  for (const tuning::Task &task : tasks) {
    expected.push_back(expectedOf(process, task));
    EXPECT_FALSE(expected.back().empty());
  }
  EXPECT_TRUE(expectedOf(process, tasks[0]) == expected[0]);
  // The second task was dropped now. Its results come from the file, not from the reference.
  std::string path = folder.file(tasks[1].key().substr(0, 16) + ".expected");
  auto size = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(size) << size.getError().message();
  std::ofstream(path, std::ios::binary) << std::string((*size)->getBufferSize(), '\0');
  EXPECT_FALSE(expectedOf(process, tasks[1]) == expected[1]);
}

/// Asks for a network and returns the answer.
BuildAnswer networkOf(BuildProcess &process, const std::string &path, double timeoutSeconds) {
  NetworkRequest request{path, "net", targets::toJson(targets::detectHost()), "{}", 1};
  request.timeoutSeconds = timeoutSeconds;
  return llvm::cantFail(process.buildNetwork(request));
}

TEST(BuildProcess, survives_networks_that_it_cannot_build) {
  convoy::test::TemporaryFolder folder;
  BuildProcess process = llvm::cantFail(BuildProcess::start(folder.file("process")));

  std::string garbage = folder.write("garbage.onnx", "no model");
  BuildAnswer answer = networkOf(process, garbage, 60);
  EXPECT_EQ(answer.outcome, tuning::Outcome::BuildError);
  EXPECT_TRUE(llvm::StringRef(answer.message)
                  .starts_with("cannot compile the network: cannot read the model: "))
      << answer.message;

  std::string unknown = folder.write(
      "unknown.onnx", convoy::test::unaryModel("NoSuchOp", {"1", "4"}).SerializeAsString());
  answer = networkOf(process, unknown, 60);
  EXPECT_EQ(answer.outcome, tuning::Outcome::BuildError);
  EXPECT_TRUE(llvm::StringRef(answer.message).starts_with("cannot compile the network: error: "))
      << answer.message;

  std::string relu =
      folder.write("relu.onnx", convoy::test::unaryModel("Relu", {"1", "4"}).SerializeAsString());
  answer = networkOf(process, relu, 0.002); // less than the start of the compiler takes
  EXPECT_EQ(answer.outcome, tuning::Outcome::BuildError);
  EXPECT_TRUE(llvm::StringRef(answer.message).starts_with("cannot compile the network within "))
      << answer.message;

  answer = networkOf(process, relu, 600);
  ASSERT_EQ(answer.outcome, tuning::Outcome::Ok) << answer.message;
  ASSERT_TRUE(answer.network);
  EXPECT_FALSE(answer.network->files.empty());
  EXPECT_EQ(answer.network->byDefault.library, ""); // no configuration: the same code
}

/// Returns a model of tuning::test::convTask with the shape {channels, 8, channels, 3, 1}.
onnx::ModelProto convModel(int channels) {
  std::string c = std::to_string(channels);
  onnx::ModelProto model = convoy::test::unaryModel("Relu", {"1", c, "8", "8"});
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.mutable_node(0)->set_input(0, "sum");
  onnx::NodeProto &conv = *graph.add_node();
  conv.set_op_type("Conv");
  conv.add_output("sum");
  for (const char *name : {"x", "w", "b"}) {
    conv.add_input(name);
  }
  onnx::AttributeProto &pads = *conv.add_attribute();
  pads.set_name("pads");
  pads.set_type(onnx::AttributeProto::INTS);
  for (int side = 0; side < 4; ++side) {
    pads.add_ints(1);
  }
  graph.mutable_node()->SwapElements(0, 1);
  auto addWeight = [&](const char *name, const std::vector<int64_t> &dims) {
    onnx::TensorProto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    int64_t count = 1;
    for (int64_t dim : dims) {
      tensor.add_dims(dim);
      count *= dim;
    }
    for (int64_t i = 0; i < count; ++i) {
      tensor.add_float_data(0.01F * static_cast<float>(i % 7));
    }
  };
  addWeight("w", {channels, channels, 3, 3});
  addWeight("b", {channels});
  return model;
}

TEST(BuildProcess, gives_the_library_and_the_header_of_both_builds) {
  convoy::test::TemporaryFolder folder;
  BuildProcess process = llvm::cantFail(BuildProcess::start(folder.file("process")));
  std::string model = folder.write("conv.onnx", convModel(16).SerializeAsString());
  BestByTask best; // generic loops, which the compiler does not choose for this convolution
  best[tuning::test::convTask({16, 8, 16, 3, 1}).key()].configurations = {{"", "", 1}};
  BuildAnswer answer = llvm::cantFail(process.buildNetwork(
      {model, "net", targets::toJson(targets::detectHost()), bestToText(best), 1}));
  ASSERT_EQ(answer.outcome, tuning::Outcome::Ok) << answer.message;
  ASSERT_TRUE(answer.network);
  EXPECT_NE(answer.network->byDefault.library, "");
  for (const auto &files : {answer.network->files, answer.network->defaultFiles}) {
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].name, "net.so");
    EXPECT_EQ(files[1].name, "net.h");
  }
}

} // namespace
