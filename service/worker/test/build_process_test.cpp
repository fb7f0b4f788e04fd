// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process of a builder keeps the results of the reference of tasks that it has dropped.

#include "Support/TemporaryFolder.h"
#include "Support/test/TestFolder.h"
#include "Targets/Target.h"
#include "io/test/TestModel.h"
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

} // namespace
