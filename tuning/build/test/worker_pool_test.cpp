// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the processes of a pool: order, failures, time limits and pauses.

#include "tuning/build/WorkerPool.h"
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <map>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace convoy::tuning {
namespace {

namespace json = llvm::json;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Counts the requests "end-once" of all processes.
int *const sharedCount = static_cast<int *>(
    mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

/// Returns the number that it receives. Other requests crash, hang, spin, or sleep first.
json::Object answer(const json::Object &request) {
  llvm::StringRef action = request.getString("do").value_or("");
  if (action == "crash") {
    raise(SIGKILL);
  } else if (action == "end-once" && ++*sharedCount == 1) {
    raise(SIGTERM);
  } else if (action == "abort") {
    ++*sharedCount;
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
  } else if (action == "end") {
    ++*sharedCount;
    raise(SIGTERM);
  } else if (action == "hang") {
    pause();
  } else if (action == "spin") {
    for (volatile bool isEndless = true; isEndless;) {
    }
  } else if (action == "sleep") {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
  } else if (action == "work") {
    for (double end = now() + 0.2; now() < end;) {
    }
  }
  return json::Object{{"number", request.getInteger("number").value_or(0)}, {"id", getpid()}};
}

json::Object request(int64_t number, llvm::StringRef action = "") {
  return json::Object{{"number", number}, {"do", action}};
}

/// Waits for all answers, by ticket.
std::map<uint64_t, WorkerAnswer> all(WorkerPool &pool) {
  std::map<uint64_t, WorkerAnswer> answers;
  for (double end = now() + 120; pool.unanswered() > 0 && now() < end; pool.start()) {
    for (WorkerAnswer &one : pool.wait(1)) {
      answers[one.ticket] = std::move(one);
    }
  }
  return answers;
}

TEST(WorkerPool, AnswersEachRequestOnce) {
  WorkerPool pool(answer, {});
  std::map<uint64_t, int64_t> sent;
  for (int64_t number = 0; number < 50; ++number) {
    sent[pool.submit(request(number))] = number;
  }
  std::map<uint64_t, WorkerAnswer> answers = all(pool);
  ASSERT_EQ(answers.size(), 50u);
  for (auto [ticket, number] : sent) {
    EXPECT_EQ(answers[ticket].content.getInteger("number"), number);
    EXPECT_EQ(answers[ticket].problem, "");
  }
}

TEST(WorkerPool, ReplacesAProcessThatEnds) {
  WorkerPoolOptions options;
  options.cpus = {-1};
  WorkerPool pool(answer, options);
  uint64_t crash = pool.submit(request(0, "crash")), end = pool.submit(request(1, "end"));
  uint64_t last = pool.submit(request(2));
  std::map<uint64_t, WorkerAnswer> answers = all(pool);
  EXPECT_EQ(answers[crash].problem, "crash");
  EXPECT_EQ(answers[crash].message, "the build process was ended by signal 9");
  EXPECT_EQ(answers[end].message, "the build process was ended by signal 15");
  EXPECT_EQ(answers[last].content.getInteger("number"), 2);
}

TEST(WorkerPool, RepeatsARequestWhoseProcessWasEndedFromOutside) {
  WorkerPool pool(answer, {});
  *sharedCount = 0;
  uint64_t once = pool.submit(request(3, "end-once"));
  std::map<uint64_t, WorkerAnswer> answers = all(pool);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[once].problem, "");
  EXPECT_EQ(answers[once].content.getInteger("number"), 3);
  EXPECT_EQ(*sharedCount, 2);
}

TEST(WorkerPool, RepeatsARequestAtMostTwice) {
  WorkerPool pool(answer, {});
  *sharedCount = 0;
  uint64_t ended = pool.submit(request(0, "end"));
  EXPECT_EQ(all(pool)[ended].problem, "crash");
  EXPECT_EQ(*sharedCount, 3);
}

TEST(WorkerPool, DoesNotRepeatACrash) {
  WorkerPool pool(answer, {});
  *sharedCount = 0;
  uint64_t crash = pool.submit(request(0, "abort"));
  EXPECT_EQ(all(pool)[crash].message, "the build process was ended by signal 6");
  EXPECT_EQ(*sharedCount, 1);
}

TEST(WorkerPool, EndsAProcessAtTheTimeLimit) {
  WorkerPoolOptions options;
  options.cpus = {-1};
  options.timeoutSeconds = 0.3;
  WorkerPool pool(answer, options);
  uint64_t hang = pool.submit(request(0, "hang")), next = pool.submit(request(1));
  std::map<uint64_t, WorkerAnswer> answers = all(pool);
  EXPECT_EQ(answers[hang].problem, "time-out");
  EXPECT_EQ(answers[hang].message, "the build exceeded 0 s");
  EXPECT_EQ(answers[next].problem, "");
}

TEST(WorkerPool, LimitsTheCpuTime) {
  WorkerPoolOptions options;
  options.cpus = {-1};
  options.timeoutSeconds = 0.5;
  WorkerPool pool(answer, options);
  uint64_t sleep = pool.submit(request(0, "sleep")), spin = pool.submit(request(1, "spin"));
  std::map<uint64_t, WorkerAnswer> answers = all(pool);
  EXPECT_EQ(answers[sleep].problem, "") << "a process that waits uses no CPU time";
  EXPECT_GT(answers[sleep].seconds, options.timeoutSeconds);
  EXPECT_EQ(answers[spin].problem, "time-out");
}

TEST(WorkerPool, APauseDoesNotCount) {
  WorkerPoolOptions options;
  options.cpus = {0};
  options.timeoutSeconds = 1;
  WorkerPool pool(answer, options);
  pool.submit(request(7, "work"));
  pool.wait(0.01);
  double begin = now();
  std::thread other([&] {
    pool.pauseOn({0});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    pool.pauseOn({});
  });
  std::map<uint64_t, WorkerAnswer> answers = all(pool);
  other.join();
  EXPECT_GE(now() - begin, 1.5);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers.begin()->second.problem, "");
  EXPECT_LT(answers.begin()->second.seconds, 1);
}

TEST(WorkerPool, OnlyTheProcessOfTheCpuPauses) {
  WorkerPoolOptions options;
  options.cpus = {0, 0};
  WorkerPool pool(answer, options);
  pool.pauseOn({1000});
  pool.submit(request(1));
  EXPECT_EQ(all(pool).size(), 1u);
  pool.pauseOn({0});
  pool.submit(request(2));
  EXPECT_TRUE(pool.wait(0.2).empty());
  pool.pauseOn({});
  EXPECT_EQ(all(pool).size(), 1u);
}

TEST(WorkerPool, EndsItsProcesses) {
  pid_t process = 0;
  {
    WorkerPoolOptions options;
    options.cpus = {0};
    WorkerPool pool(answer, options);
    pool.submit(request(1));
    process = static_cast<pid_t>(*all(pool).begin()->second.content.getInteger("id"));
    EXPECT_EQ(kill(process, 0), 0);
    pool.pauseOn({0});
  }
  EXPECT_NE(kill(process, 0), 0) << "a paused process ends with the pool";
}

} // namespace
} // namespace convoy::tuning
