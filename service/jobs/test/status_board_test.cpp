// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/StatusBoard.h"
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace convoy::service {
namespace {

JobStatus statusOf(const std::string &id, JobState state, int64_t createdUs = 0) {
  JobStatus status;
  status.set_id(id);
  status.set_project("p");
  status.set_state(state);
  status.set_created_us(createdUs);
  return status;
}

TEST(StatusBoard, ListsTheNewestJobsFirst) {
  StatusBoard board;
  board.publish(statusOf("a", JobState::RUNNING, 1));
  board.publish(statusOf("b", JobState::QUEUED, 2));
  board.publish(statusOf("c", JobState::RUNNING, 3));
  JobFilter filter;
  filter.add_states(JobState::RUNNING);
  JobList list = board.list(filter);
  ASSERT_EQ(list.jobs_size(), 2);
  EXPECT_EQ(list.jobs(0).id(), "c");
  filter.set_limit(1);
  EXPECT_EQ(board.list(filter).jobs_size(), 1);
  filter.set_project("other");
  EXPECT_TRUE(board.list(filter).jobs().empty());
}

TEST(StatusBoard, WatchReturnsAfterTheFinalState) {
  StatusBoard board;
  board.publish(statusOf("a", JobState::RUNNING));
  std::vector<JobState> seen;
  std::atomic<bool> isSeen{false};
  std::thread publisher([&] {
    while (!isSeen) {
      std::this_thread::yield();
    }
    board.publish(statusOf("a", JobState::CONVERGED));
  });
  EXPECT_FALSE(llvm::errorToBool(board.watch("a", [&](const JobStatus &status) {
    seen.push_back(status.state());
    isSeen = true;
    return true;
  })));
  publisher.join();
  EXPECT_EQ(seen.back(), JobState::CONVERGED);
}

TEST(StatusBoard, WatchNamesAnUnknownJob) {
  StatusBoard board;
  llvm::Error error = board.watch("x", [](const JobStatus &) { return true; });
  EXPECT_EQ(llvm::toString(std::move(error)), "no job has the id 'x'");
}

TEST(StatusBoard, StopEndsWatching) {
  StatusBoard board;
  board.publish(statusOf("a", JobState::RUNNING));
  std::thread stopper([&] { board.stop(); });
  EXPECT_TRUE(llvm::errorToBool(board.watch("a", [](const JobStatus &) { return true; })));
  stopper.join();
}

} // namespace
} // namespace convoy::service
