// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process of a builder keeps the results of the reference of tasks that it has dropped.

#include "Support/TemporaryFolder.h"
#include "Targets/Target.h"
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

} // namespace
