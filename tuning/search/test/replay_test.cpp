// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the file format of tables, and searches on a table with computed times.

#include "Kernels/KernelTemplate.h"
#include "Pipeline/TargetOptions.h"
#include "Support/test/TestFolder.h"
#include "tuning/search/ReplayTable.h"
#include "tuning/space/test/TestKernels.h"
#include "llvm/Support/FileSystem.h"
#include <fstream>
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

/// Returns a table of every entry of a small convolution's space. The times are close to the
/// estimate; some templates and depths are slower.
ReplayTable madeTable() {
  ReplayTable table;
  table.target = llvm::cantFail(targets::findTarget("x86-64-v4"));
  table.task = test::convTask({64, 14, 64, 3, 1});
  table.weight = 0.25;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TaskModule module = llvm::cantFail(readTask(table.task, &context));
  SpaceOptions options;
  options.machine = machineOf(table.target);
  TaskSpace space = llvm::cantFail(spaceOf(module.kernel(), options));
  for (const SpaceEntry &entry : space.entries) {
    double slower = entry.configuration.templateId == "winograd" ? 1.6 : 1;
    slower *= llvm::StringRef(entry.configuration.text).contains("unroll = 8") ? 0.8 : 1;
    table.rows.push_back({entry.configuration, entry.cycles * slower * 1e-9});
  }
  table.rows.back().seconds = std::nullopt;
  return table;
}

TEST(ReplayTable, ReadsWhatItWrites) {
  convoy::test::TemporaryFolder folder;
  ReplayTable table = madeTable();
  std::string path = folder.file("t.csv.gz");
  ASSERT_FALSE(static_cast<bool>(writeTable(table, path)));
  llvm::Expected<ReplayTable> read = readTable(path);
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->task.text, table.task.text);
  EXPECT_EQ(read->task.name, table.task.name);
  EXPECT_EQ(read->weight, 0.25);
  EXPECT_EQ(targets::toJson(read->target), targets::toJson(table.target));
  ASSERT_EQ(read->rows.size(), table.rows.size());
  for (size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_EQ(read->rows[i].configuration, table.rows[i].configuration);
    EXPECT_EQ(read->rows[i].seconds.has_value(), table.rows[i].seconds.has_value());
  }
  EXPECT_NEAR(*read->rows[3].seconds / *table.rows[3].seconds, 1, 1e-5);
}

TEST(ReplayTable, SaysWhatIsWrong) {
  convoy::test::TemporaryFolder folder;
  auto problemOf = [&](const std::string &text) {
    std::string path = folder.file("w.csv");
    std::ofstream(path) << text;
    llvm::Expected<ReplayTable> table = readTable(path);
    std::string problem = table ? "" : llvm::toString(table.takeError());
    size_t at = problem.find("w.csv");
    return at == std::string::npos ? problem : problem.substr(at);
  };
  const std::string columns = "template,version,configuration,input,output,seconds\n";
  EXPECT_EQ(problemOf("hello\n"),
            "w.csv:2: expected the columns template,version,configuration,input,output,seconds");
  EXPECT_EQ(problemOf("hello\n" + columns), "w.csv:1: expected '# ' and a JSON object");
  EXPECT_EQ(problemOf("# {\"format\": 9}\n" + columns),
            "w.csv:1: expected a JSON object with \"format\": 1");
  EXPECT_EQ(problemOf("# {\"format\": 1}\n" + columns),
            "w.csv:1: expected a task, its weight and a target");
  EXPECT_EQ(problemOf("# {\n" + columns).substr(0, 9), "w.csv:1: ");
  convoy::test::TemporaryFolder other;
  ReplayTable table = madeTable();
  table.rows.resize(1);
  table.rows[0].configuration = {"a", 1, "b", "c", "d"};
  table.rows[0].configuration.templateId = "x,y\",z";
  ASSERT_FALSE(static_cast<bool>(writeTable(table, other.file("t.csv.gz"))));
  EXPECT_NE(llvm::toString(readTable(other.file("t.csv.gz")).takeError()).find(":3: expected "),
            std::string::npos);
  EXPECT_NE(llvm::toString(readTable("none.csv.gz").takeError()).find("none.csv.gz: cannot be"),
            std::string::npos);
  EXPECT_EQ(llvm::toString(writeTable(table, "no/such/folder.gz")),
            "no/such/folder.gz: cannot be written");
}

TEST(Replay, FindsMoreWithMoreTrials) {
  ReplaySpace space = llvm::cantFail(replaySpace(madeTable()));
  EXPECT_EQ(space.staleness, "");
  for (llvm::StringRef name : searcherNames()) {
    std::vector<double> shares =
        llvm::cantFail(replay(space, name, SearchOptions(), {0, 8, 40, 5000}, {8, 0}));
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end())) << name.str();
    EXPECT_EQ(shares.back(), 1) << name.str();
  }
}

TEST(Replay, MixedLeavesTheTemplateThatTheEstimateLikes) {
  ReplaySpace space = llvm::cantFail(replaySpace(madeTable()));
  std::vector<double> mixed =
      llvm::cantFail(replay(space, "mixed", SearchOptions(), {0, 8, 40}, {8, 0}));
  std::vector<double> order =
      llvm::cantFail(replay(space, "order", SearchOptions(), {0, 8, 40}, {8, 0}));
  EXPECT_LT(order[2], 0.9);
  EXPECT_GT(mixed[2], 0.95);
}

TEST(Replay, NoticesStaleTables) {
  ReplayTable table = madeTable();
  table.rows[0].configuration.templateVersion = 99;
  const std::string &id = table.rows[0].configuration.templateId;
  EXPECT_EQ(llvm::cantFail(replaySpace(table)).staleness,
            "template '" + id + "' had version 99 and has version " +
                std::to_string(kernels::templateWithId(id)->version()) + " now");
  table.rows[0].configuration.templateId = "gone";
  EXPECT_EQ(llvm::cantFail(replaySpace(table)).staleness,
            "template 'gone' had version 99 and no longer exists");
  table = madeTable();
  size_t all = table.rows.size();
  table.rows.resize(all / 2);
  EXPECT_EQ(llvm::cantFail(replaySpace(table)).staleness, std::to_string(all / 2) + " of " +
                                                              std::to_string(all) +
                                                              " configurations are in the table");
  table.rows.clear();
  EXPECT_EQ(llvm::toString(replaySpace(table).takeError()),
            "no configuration of '" + table.task.name +
                "' in the table belongs to the space of this compiler");
}

} // namespace
} // namespace convoy::tuning
