// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which search a file of records continues.

#include "Support/test/TestFolder.h"
#include "tuning/dispatch/SavedSearch.h"
#include <fstream>
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

class SavedSearchTest : public testing::Test {
protected:
  void SetUp() override {
    ModelTask &task = tasks.emplace_back();
    task.task = {"a task", "a task"};
    task.count = 1;
    task.space.parts.push_back({{"a"}, {1}});
    for (int64_t a = 0; a < 40; ++a) {
      SpaceEntry &entry = task.space.entries.emplace_back();
      entry.settings = {a};
      entry.cycles = 1000.0 + static_cast<double>(a);
      entry.configuration.templateId = "conv_direct";
      entry.configuration.text = "#kernel.conv_direct<block = " + std::to_string(a) + ">";
    }
    options.searcher = "random";
    options.batch = 4;
  }

  JobSearch search() const { return llvm::cantFail(JobSearch::create(tasks, options)); }
  std::string description() const { return describeSearch(tasks, options, "target", "policy"); }

  Record record(const std::string &trial, size_t entry, int64_t unixUs) const {
    Record result;
    result.trial = trial;
    result.taskText = tasks[0].task.text;
    result.configuration = tasks[0].space.entries[entry].configuration;
    result.samples = {{1, static_cast<int64_t>(1000 + entry), 1000, true}};
    result.unixUs = unixUs;
    return result;
  }

  /// Returns the records of the first `count` trials of a new search in a file.
  std::vector<Record> firstTrials(size_t count) const {
    std::vector<Record> records = {record("0123456789abcdef0123456789abcdef", 39, 1)};
    SavedSearch saved = SavedSearch::find(records, description(), options.trials, 0);
    JobSearch job = search();
    job.know(0, {{39, 1039e-9}});
    while (records.size() < count + 1) {
      SearchRound round = *job.propose();
      for (size_t place = 0; place < round.entries.size() && records.size() < count + 1; ++place) {
        records.push_back(record(
            trialIdOf(saved.id, static_cast<uint32_t>(round.number), static_cast<uint32_t>(place)),
            round.entries[place], 2));
        job.complete(round.number, place, static_cast<double>(1000 + round.entries[place]) * 1e-9);
      }
    }
    return records;
  }

  std::vector<ModelTask> tasks;
  JobSearchOptions options;
};

TEST_F(SavedSearchTest, AnIdHas32Digits) {
  EXPECT_EQ(trialIdOf("0123456789abcdef", 10, 3), "0123456789abcdef0000000a00000003");
  EXPECT_EQ(raceIdOf("0123456789abcdef", 1, 2), "0123456789abcdeff000000100000002");
}

TEST_F(SavedSearchTest, TheOptionsAreTheIdentity) {
  std::string before = description();
  EXPECT_EQ(description(), before);
  options.seed = 1;
  EXPECT_NE(description(), before);
  options.seed = 0;
  tasks[0].space.entries.pop_back();
  EXPECT_NE(description(), before) << "another space file";
}

TEST_F(SavedSearchTest, ContinuesWithWholeRounds) {
  std::vector<Record> records = firstTrials(10);
  SavedSearch saved = SavedSearch::find(records, description(), 0, 0);
  EXPECT_EQ(saved.own.size(), 10u);
  ASSERT_EQ(saved.prior.size(), 1u);
  EXPECT_EQ(saved.prior["a task"].size(), 1u);
  JobSearch job = search();
  ASSERT_TRUE(saved.restore(job, tasks, options));
  EXPECT_EQ(job.trials(), 8) << "the search proposes the third round again";
  EXPECT_EQ(job.allRounds().size(), 2u);
}

TEST_F(SavedSearchTest, LaterRecordsOfOthersDoNotCount) {
  std::vector<Record> records = firstTrials(4);
  records.push_back(record("fedcba9876543210fedcba9876543210", 38, 3));
  EXPECT_EQ(SavedSearch::find(records, description(), 0, 0).prior["a task"].size(), 1u);
}

TEST_F(SavedSearchTest, AFinishedSearchIsKnowledgeOfTheNext) {
  std::vector<Record> records = firstTrials(8);
  SavedSearch unfinished = SavedSearch::find(records, description(), 0, 0);
  SavedSearch next = SavedSearch::find(records, description(), 8, 0);
  EXPECT_NE(next.id, unfinished.id) << "all trials are made";
  EXPECT_TRUE(next.own.empty());
  EXPECT_EQ(next.prior["a task"].size(), 9u);
  records.push_back(record(raceIdOf(unfinished.id, 0, 0), 0, 3));
  EXPECT_EQ(SavedSearch::find(records, description(), 0, 0).id, next.id) << "a race has begun";
}

TEST_F(SavedSearchTest, SkipsSearchesThatDoNotFit) {
  std::vector<Record> records = firstTrials(8);
  SavedSearch saved = SavedSearch::find(records, description(), 0, 0);
  for (auto &[id, record] : saved.own) {
    record.configuration.text = "#kernel.conv_direct<block = 99>";
  }
  JobSearch job = search();
  EXPECT_FALSE(saved.restore(job, tasks, options));
  EXPECT_TRUE(SavedSearch::find(records, description(), 0, 1).own.empty());
}

TEST(SearchLock, ExcludesASecondTuner) {
  convoy::test::TemporaryFolder folder;
  std::string path = folder.file("r.db");
  std::ofstream(path) << "x";
  SearchLock first(path);
  EXPECT_TRUE(first.isHeld());
  EXPECT_FALSE(SearchLock(path).isHeld());
  EXPECT_FALSE(SearchLock(folder.file("none.db")).isHeld());
}

} // namespace
} // namespace convoy::tuning
