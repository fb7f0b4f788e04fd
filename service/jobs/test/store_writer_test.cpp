// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch is written beside the caller, and comes back whole if the store refuses it.

#include "service/jobs/StoreWriter.h"
#include "service/store/test/StoreCase.h"
#include <chrono>

namespace convoy::service::store::test {
namespace {

class Writer : public StoreCase {
protected:
  static WrittenBatch wait(StoreWriter &writer) {
    for (int i = 0; i < 3000; ++i) {
      if (std::optional<WrittenBatch> written = writer.takeWritten()) {
        return std::move(*written);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "the write does not end";
    return {};
  }
};

TEST_F(Writer, stores_trials_and_results) {
  createTrials(1, 2);
  StoreWriter writer(*store);
  EXPECT_FALSE(writer.isBusy());
  StoreBatch batch;
  batch.trials = trials("j", 2, 2); // round 0 is known
  batch.results = {result({"j", 0, 0}), result({"j", 1, 1}), result({"j", 0, 0})};
  batch.completions.resize(3);
  writer.write(std::move(batch));
  EXPECT_TRUE(writer.isBusy());
  WrittenBatch written = wait(writer);
  check(std::move(written.error));
  EXPECT_FALSE(writer.isBusy());
  EXPECT_TRUE(written.areTrialsStored);
  EXPECT_TRUE(written.areResultsStored);
  EXPECT_EQ(written.isFirst, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(written.batch.completions.size(), 3U);
  EXPECT_EQ(sql("select count(*) from trials where state = 'done'"), "2");
}

TEST_F(Writer, returns_the_rows_that_are_not_stored) {
  createTrials(1, 1);
  StoreWriter writer(*store);
  StoreBatch batch;
  batch.trials = trials("j", 2, 1);
  batch.results = {result({"j", 7, 7})};
  writer.write(std::move(batch));
  WrittenBatch written = wait(writer);
  EXPECT_EQ(expect(StoreError::Kind::NotFound, std::move(written.error)),
            "trial 'j/7/7' does not exist");
  EXPECT_TRUE(written.areTrialsStored);
  EXPECT_FALSE(written.areResultsStored);
  EXPECT_EQ(written.batch.results.size(), 1U);

  sql("update leader set epoch = epoch + 1"); // another process leads
  batch = {};
  batch.trials = trials("j", 3, 1);
  writer.write(std::move(batch));
  written = wait(writer);
  expect(StoreError::Kind::LostLeadership, std::move(written.error));
  EXPECT_FALSE(written.areTrialsStored);
  EXPECT_EQ(written.batch.trials.size(), 3U);
}

} // namespace

Servers *const kServers = Servers::add("postgres");

} // namespace convoy::service::store::test
