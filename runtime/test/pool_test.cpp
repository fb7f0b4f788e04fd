// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the thread pool alone: every worker runs, calls take turns, waits end, idle workers sleep,
// and a forked child starts a new pool. The pool's source is part of this program, which is also
// built with ThreadSanitizer.

#include "runtime/core/pool.h"
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <gtest/gtest.h>
#include <pthread.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif
#else
constexpr bool kIsSanitized = false;
#endif

constexpr int kMaxThreads = 4;

/// The data that each worker wrote in a region.
struct Marks {
  std::array<int, kMaxThreads> runs = {};
  std::array<pthread_t, kMaxThreads> threads = {};
};

void mark(void *context, int32_t worker) {
  auto *marks = static_cast<Marks *>(context);
  ++marks->runs[worker];
  marks->threads[worker] = pthread_self();
}

TEST(Pool, RunsEachWorkerInItsOwnThread) {
  Marks marks;
  ASSERT_EQ(convoy_region_run(3, mark, &marks), 0);
  EXPECT_EQ(marks.runs, (std::array<int, kMaxThreads>{1, 1, 1, 0}));
  EXPECT_TRUE(pthread_equal(marks.threads[0], pthread_self()));
  EXPECT_FALSE(pthread_equal(marks.threads[1], marks.threads[0]));
  EXPECT_FALSE(pthread_equal(marks.threads[2], marks.threads[1]));
}

TEST(Pool, RegionsInARowKeepTheirThreads) {
  Marks first;
  ASSERT_EQ(convoy_region_run(kMaxThreads, mark, &first), 0);
  Marks marks;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(convoy_region_run(2 + i % 3, mark, &marks), 0);
  }
  EXPECT_EQ(marks.runs[0], 3000);
  EXPECT_EQ(marks.runs[1], 3000);
  EXPECT_EQ(marks.runs[2], 2000);
  EXPECT_EQ(marks.runs[3], 1000);
  for (int worker = 0; worker < kMaxThreads; ++worker) {
    EXPECT_TRUE(pthread_equal(marks.threads[worker], first.threads[worker]));
  }
}

/// Not atomic: the value is correct only if calls take turns.
struct Turns {
  std::array<int64_t, kMaxThreads> steps = {};
  int64_t regions = 0;
};

void stepOnce(void *context, int32_t worker) { ++static_cast<Turns *>(context)->steps[worker]; }

TEST(Pool, CallersTakeTurns) {
  constexpr int kCallers = 4;
  constexpr int kRegions = 300;
  Turns turns;
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      for (int region = 0; region < kRegions; ++region) {
        EXPECT_EQ(convoy_region_run(3, stepOnce, &turns), 0);
      }
    });
  }
  for (std::thread &caller : callers) {
    caller.join();
  }
  for (int worker = 0; worker < 3; ++worker) {
    EXPECT_EQ(turns.steps[worker], kCallers * kRegions);
  }
}

/// Two workers that pass a number back and forth with flags, as compiled code does.
struct PingPong {
  struct alignas(64) Flag {
    std::atomic<int32_t> count = 0;
    std::atomic<int32_t> sleepers = 0;
  };
  std::array<Flag, 2> flags;
  int64_t number = 0;
  int rounds = 0;
  std::chrono::microseconds delay = std::chrono::microseconds(0);
};

void wait(PingPong::Flag &flag, int32_t count) {
  while (flag.count.load(std::memory_order_acquire) < count) {
    convoy_flag_wait(&flag, count);
  }
}

void post(PingPong::Flag &flag, int32_t count) {
  flag.count.exchange(count);
  if (flag.sleepers.load() != 0) {
    convoy_flag_wake(&flag);
  }
}

void play(void *context, int32_t worker) {
  auto *game = static_cast<PingPong *>(context);
  for (int32_t round = 1; round <= game->rounds; ++round) {
    if (worker == 1) {
      wait(game->flags[0], round);
    }
    if (game->delay.count() > 0) {
      std::this_thread::sleep_for(game->delay);
    }
    ++game->number;
    post(game->flags[worker], round);
    if (worker == 0) {
      wait(game->flags[1], round);
    }
  }
}

TEST(Pool, FlagsOrderWhatWorkersDo) {
  PingPong game;
  game.rounds = 3000;
  ASSERT_EQ(convoy_region_run(2, play, &game), 0);
  EXPECT_EQ(game.number, 6000);
}

TEST(Pool, LongWaitsSleepAndEnd) {
  PingPong game;
  game.rounds = 20;
  game.delay = std::chrono::milliseconds(2);
  ASSERT_EQ(convoy_region_run(2, play, &game), 0);
  EXPECT_EQ(game.number, 40);
  for (PingPong::Flag &flag : game.flags) {
    EXPECT_EQ(flag.sleepers.load(), 0);
  }
}

double cpuSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(Pool, IdleWorkersSleep) {
  Marks marks;
  ASSERT_EQ(convoy_region_run(kMaxThreads, mark, &marks), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  double before = cpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(cpuSeconds() - before, 0.1);
}

TEST(Pool, RefusesMoreThreadsThanItHasRoomFor) {
  Marks marks;
  EXPECT_NE(convoy_region_run(100000, mark, &marks), 0);
  EXPECT_EQ(marks.runs[0], 0);
  EXPECT_EQ(convoy_region_run(2, mark, &marks), 0); // the pool still works
  EXPECT_EQ(marks.runs[1], 1);
}

void blockedSignals(void *context, int32_t worker) {
  if (worker == 1) {
    pthread_sigmask(SIG_SETMASK, nullptr, static_cast<sigset_t *>(context));
  }
}

TEST(Pool, WorkersTakeNoSignals) {
  sigset_t blocked;
  sigemptyset(&blocked);
  ASSERT_EQ(convoy_region_run(2, blockedSignals, &blocked), 0);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
  sigset_t mine;
  pthread_sigmask(SIG_SETMASK, nullptr, &mine);
  EXPECT_EQ(sigismember(&mine, SIGTERM), 0);
}

/// The last CPU of each of two workers.
using Cpus = std::array<int, 2>;

void noteCpu(void *context, int32_t worker) {
  (*static_cast<Cpus *>(context))[worker] = sched_getcpu();
}

bool bindTo(const std::vector<int> &cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) {
    CPU_SET(cpu, &set);
  }
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/// Returns whether the worker of a pool for two CPUs leaves the caller's CPU, whichever of the two
/// CPUs the caller binds itself to.
bool workersMakeRoom(int one, int other) {
  Cpus cpus = {-1, -1};
  bool isRight = bindTo({one, other}) && convoy_region_run(2, noteCpu, &cpus) == 0;
  for (int cpu : {one, other, one}) {
    isRight = isRight && bindTo({cpu}) && convoy_region_run(2, noteCpu, &cpus) == 0 &&
              cpus == Cpus{cpu, one + other - cpu};
  }
  return isRight;
}

TEST(Pool, WorkersMakeRoomForACallerThatIsBoundLater) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) {
      cpus.push_back(cpu);
    }
  }
  if (kIsSanitized || cpus.size() < 2) {
    GTEST_SKIP() << "needs two CPUs and a fork with threads";
  }
  pid_t child = fork(); // the child needs a new pool
  if (child == 0) {
    alarm(20);
    execl(workersMakeRoom(cpus[0], cpus[1]) ? "/bin/true" : "/bin/false", "verdict", nullptr);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Pool, AForkedChildHasItsOwn) {
  if (kIsSanitized) {
    GTEST_SKIP() << "ThreadSanitizer starts no threads after a fork with threads";
  }
  Marks marks;
  ASSERT_EQ(convoy_region_run(3, mark, &marks), 0);
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // ends the child, not the test, if the child hangs
    Marks own;
    bool isRight = convoy_region_run(3, mark, &own) == 0 && own.runs[2] == 1;
    // Ends without running the parent's exit handlers.
    execl(isRight ? "/bin/true" : "/bin/false", "verdict", nullptr);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(convoy_region_run(3, mark, &marks), 0);
  EXPECT_EQ(marks.runs[2], 2);
}

} // namespace
