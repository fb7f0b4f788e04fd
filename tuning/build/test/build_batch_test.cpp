// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests batches of builds and their failures.

#include "Support/test/TestFolder.h"
#include "tuning/build/BuildBatch.h"
#include "tuning/space/test/TestKernels.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

class Batch : public testing::Test {
protected:
  void SetUp() override { options.build = {targets::detectHost(), folder.path()}; }

  Task task = test::convTask({32, 12, 32, 3, 1});
  Configuration loops{"loops", 1, "", "planar", "planar"};
  Configuration direct{"conv_direct", 1,
                       "#kernel.conv_direct<block = 8, vectors = 2, pixels = 4, depth = 32, unroll "
                       "= 4, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>",
                       "#graph.blocked<c = 8>", "#graph.blocked<c = 8>"};
  BatchOptions options;
  convoy::test::TemporaryFolder folder;
};

TEST_F(Batch, BuildsABatchInOrder) {
  Configuration wrong = loops;
  wrong.text = "nonsense";
  std::vector<BuildResult> results = buildBatch(
      {{task, loops}, {task, wrong}, {task, direct}, {{"no task", ""}, loops}}, options, "c");
  ASSERT_EQ(results.size(), 4u);
  EXPECT_TRUE(results[0].isBuilt()) << results[0].message;
  EXPECT_EQ(results[0].candidate.files.interface.model, "c0");
  EXPECT_TRUE(llvm::sys::fs::exists(results[0].candidate.files.library));
  EXPECT_GT(results[0].candidate.times.emitSeconds, 0);
  EXPECT_EQ(results[1].problem, "configuration");
  EXPECT_TRUE(results[2].isBuilt()) << results[2].message;
  EXPECT_EQ(results[2].candidate.files.interface.model, "c2");
  EXPECT_EQ(results[3].problem, "task");
  EXPECT_TRUE(buildBatch({}, options, "c").empty());
}

TEST_F(Batch, LivesThroughATimeOut) {
  // This configuration generates so much code that LLVM takes more CPU time than the limit.
  Configuration slow = direct;
  slow.text = "#kernel.conv_direct<block = 8, vectors = 4, pixels = 512, depth = 32, unroll = 8, "
              "columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>";
  Task wide = test::convTask({32, 512, 32, 3, 1});
  options.processes = 1;
  options.timeoutSeconds = 2;
  std::vector<BuildResult> results = buildBatch({{wide, slow}, {task, direct}}, options, "c");
  EXPECT_EQ(results[0].problem, "time-out");
  EXPECT_EQ(results[0].message, "the build exceeded 2 s");
  EXPECT_TRUE(results[1].isBuilt())
      << "a new process builds the remaining candidate: " << results[1].message;
}

} // namespace
} // namespace convoy::tuning
