// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests steps that threads share: each step is taken once, in every interleaving.

#include "runtime/core/share.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

namespace {

struct Run {
  int64_t begin;
  int64_t end;
};

/// The words of generated code, and how often each step was taken.
struct Share {
  Share(int32_t parts, int32_t range) : words(parts, 0), times(range, 0) {}

  /// Returns false if all steps are taken.
  bool take(int32_t part, int32_t least = 1) {
    int64_t taken = convoy_share_take(words.data(), part, static_cast<int32_t>(words.size()),
                                      static_cast<int32_t>(times.size()), least);
    last = {taken >> 32, taken & 0xffffffff};
    for (int64_t step = last.begin; step < last.end; ++step) {
      ++times[step];
    }
    return taken != 0;
  }

  bool isDoneOnce() const {
    return std::all_of(times.begin(), times.end(), [](int count) { return count == 1; });
  }

  std::vector<uint64_t> words;
  std::vector<int> times;
  Run last = {0, 0};
};

TEST(Share, OneThreadDoesItAll) {
  Share share(3, 17);
  while (share.take(1)) {
  }
  EXPECT_TRUE(share.isDoneOnce());
}

TEST(Share, TakesHalfOfTheOwnPartFromItsFront) {
  Share share(2, 16);
  ASSERT_TRUE(share.take(1));
  EXPECT_EQ(share.last.begin, 8);
  EXPECT_EQ(share.last.end, 12);
}

TEST(Share, TakesFromTheBackOfOthersWhenItsOwnIsDone) {
  Share share(2, 16);
  for (int64_t end = 4; end < 8; end = share.last.end) {
    ASSERT_TRUE(share.take(0));
  }
  ASSERT_TRUE(share.take(0));
  EXPECT_EQ(share.last.begin, 12);
  EXPECT_EQ(share.last.end, 16);
}

TEST(Share, TakesNoFewerThanAsked) {
  Share share(2, 16);
  ASSERT_TRUE(share.take(0, 6));
  EXPECT_EQ(share.last.end - share.last.begin, 6);
  ASSERT_TRUE(share.take(0, 6)); // the remainder of the part
  EXPECT_EQ(share.last.end - share.last.begin, 2);
}

TEST(Share, AnyOrderOfTakesDoesEachStepOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    int32_t parts = 1 + static_cast<int32_t>(random() % 5);
    Share share(parts, parts + static_cast<int32_t>(random() % 40));
    int32_t least = 1 + static_cast<int32_t>(random() % 3);
    while (share.take(static_cast<int32_t>(random() % parts), least)) {
    }
    EXPECT_TRUE(share.isDoneOnce());
  }
}

TEST(Share, ThreadsDoEachStepOnce) {
  constexpr int32_t kThreads = 3;
  constexpr int32_t kRange = 100000;
  std::vector<uint64_t> words(kThreads, 0);
  std::vector<std::vector<int>> times(kThreads, std::vector<int>(kRange, 0));
  std::vector<std::thread> threads;
  for (int32_t part = 0; part < kThreads; ++part) {
    threads.emplace_back([&, part] {
      for (int64_t taken = 1; taken != 0;) {
        taken = convoy_share_take(words.data(), part, kThreads, kRange, 1);
        for (int64_t step = taken >> 32; step < (taken & 0xffffffff); ++step) {
          ++times[part][step];
        }
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (int32_t step = 0; step < kRange; ++step) {
    ASSERT_EQ(times[0][step] + times[1][step] + times[2][step], 1) << step;
  }
}

} // namespace
