// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/StatusBoard.h"
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace convoy::service {
namespace {

JobStatus statusOf(const std::string &id, JobState state, int64_t createdUs = 0) {
  JobStatus status;
  status.id = id;
  status.project = "p";
  status.state = state;
  status.createdUs = createdUs;
  return status;
}

TEST(StatusBoard, ListsTheNewestJobsFirst) {
  StatusBoard board;
  board.publish(statusOf("a", JobState::Running, 1));
  board.publish(statusOf("b", JobState::Queued, 2));
  board.publish(statusOf("c", JobState::Running, 3));
  JobFilter filter;
  filter.states = {JobState::Running};
  std::vector<JobStatus> jobs = board.list(filter);
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].id, "c");
  filter.limit = 1;
  EXPECT_EQ(board.list(filter).size(), 1U);
  filter.project = "other";
  EXPECT_TRUE(board.list(filter).empty());
}

TEST(StatusBoard, WatchReturnsAfterTheFinalState) {
  StatusBoard board;
  board.publish(statusOf("a", JobState::Running));
  std::vector<JobState> seen;
  std::atomic<bool> isSeen{false};
  std::thread publisher([&] {
    while (!isSeen) {
      std::this_thread::yield();
    }
    board.publish(statusOf("a", JobState::Converged));
  });
  EXPECT_FALSE(llvm::errorToBool(board.watch("a", [&](const JobStatus &status) {
    seen.push_back(status.state);
    isSeen = true;
    return true;
  })));
  publisher.join();
  EXPECT_EQ(seen.back(), JobState::Converged);
}

TEST(StatusBoard, WatchNamesAnUnknownJob) {
  StatusBoard board;
  llvm::Error error = board.watch("x", [](const JobStatus &) { return true; });
  EXPECT_EQ(llvm::toString(std::move(error)), "no job has the id 'x'");
}

TEST(StatusBoard, StopEndsWatching) {
  StatusBoard board;
  board.publish(statusOf("a", JobState::Running));
  std::thread stopper([&] { board.stop(); });
  EXPECT_TRUE(llvm::errorToBool(board.watch("a", [](const JobStatus &) { return true; })));
  stopper.join();
}

} // namespace
} // namespace convoy::service
