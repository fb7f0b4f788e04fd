// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that timing, interruptions and the order of results do not change the proposals of a job.

#include "tuning/search/JobSearch.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace convoy::tuning {
namespace {

/// A task of two knobs, 10 x 10. Every eleventh entry fails.
ModelTask gridTask(const std::string &text, int64_t count) {
  ModelTask task;
  task.task = {text, text};
  task.count = count;
  task.space.parts.push_back({{"a", "b"}, {1, 1}});
  for (int64_t a = 1; a <= 10; ++a) {
    for (int64_t b = 1; b <= 10; ++b) {
      SpaceEntry entry;
      entry.settings = {a, b};
      entry.cycles = 1000.0 * (1 + std::abs(static_cast<double>(a - 6)) +
                               0.3 * std::abs(static_cast<double>(b - 4)));
      entry.configuration.templateId = "conv_direct";
      entry.configuration.text = "#kernel.conv_direct<block = " + std::to_string(a) +
                                 ", vectors = " + std::to_string(b) + ">";
      task.space.entries.push_back(entry);
    }
  }
  llvm::sort(task.space.entries, [](const SpaceEntry &x, const SpaceEntry &y) {
    return std::tie(x.cycles, x.settings) < std::tie(y.cycles, y.settings);
  });
  return task;
}

std::optional<double> secondsOf(const ModelTask &task, size_t entry) {
  const SpaceEntry &e = task.space.entries[entry];
  if (entry % 11 == 5) {
    return std::nullopt;
  }
  return e.cycles * 1e-9 * (e.settings[0] > 4 ? 3 : 1) * static_cast<double>(task.task.text.size());
}

struct Unanswered {
  int64_t round;
  size_t place;
};

/// A run of a search: its events, and the rounds it has proposed.
class Searched {
public:
  Searched(llvm::ArrayRef<ModelTask> tasks, const JobSearchOptions &options, uint64_t order)
      : tasks(tasks), search(llvm::cantFail(JobSearch::create(tasks, options))), engine(order) {}

  /// Continues the first `events` events of another run. The results arrive in another order.
  void resume(const Searched &other, size_t events) {
    std::vector<Unanswered> answered;
    for (const auto &[round, place] : llvm::ArrayRef(other.events).take_front(events)) {
      if (!place) {
        search.restore(other.rounds[static_cast<size_t>(round)]);
        add(other.rounds[static_cast<size_t>(round)]);
      } else {
        answered.push_back({round, *place});
      }
    }
    std::shuffle(answered.begin(), answered.end(), engine);
    for (const Unanswered &one : answered) {
      complete(one);
    }
  }

  /// Proposes and completes at random times until there are `count` rounds.
  void runTo(size_t count) {
    while (rounds.size() < count) {
      bool wantsRound = engine() % 3 > 0 || open.empty();
      std::optional<SearchRound> round = wantsRound ? search.propose() : std::nullopt;
      if (round) {
        add(*round);
      } else if (!open.empty()) {
        complete(open[engine() % open.size()]);
      } else {
        ASSERT_TRUE(search.isFinished());
        return;
      }
    }
  }

  void complete(Unanswered one) {
    const SearchRound &round = rounds[static_cast<size_t>(one.round)];
    search.complete(one.round, one.place, secondsOf(tasks[round.task], round.entries[one.place]));
    events.emplace_back(one.round, one.place);
    llvm::erase_if(open, [&](const Unanswered &other) {
      return other.round == one.round && other.place == one.place;
    });
  }

  void add(const SearchRound &round) {
    rounds.push_back(round);
    events.emplace_back(round.number, std::nullopt);
    for (size_t place = 0; place < round.entries.size(); ++place) {
      open.push_back({round.number, place});
    }
  }

  llvm::ArrayRef<ModelTask> tasks;
  JobSearch search;
  std::mt19937_64 engine;
  std::vector<SearchRound> rounds;
  std::vector<Unanswered> open;
  /// A round, and a place if it is a result.
  std::vector<std::pair<int64_t, std::optional<size_t>>> events;
};

std::string textOf(llvm::ArrayRef<SearchRound> rounds) {
  std::string text;
  for (const SearchRound &round : rounds) {
    text += std::to_string(round.number) + " task " + std::to_string(round.task) + ":";
    for (size_t entry : round.entries) {
      text += " " + std::to_string(entry);
    }
    text += "\n";
  }
  return text;
}

class JobSearchTest : public testing::Test {
protected:
  std::vector<ModelTask> tasks = {gridTask("one", 1), gridTask("second", 3)};

  JobSearchOptions options(llvm::StringRef searcher, size_t lookAhead = 1) const {
    JobSearchOptions result;
    result.searcher = searcher.str();
    result.seed = 3;
    result.batch = 3;
    result.lookAhead = lookAhead;
    result.experience.emplace(SpaceOptions(), 1);
    return result;
  }
};

TEST_F(JobSearchTest, TimingDoesNotChangeProposals) {
  for (llvm::StringRef name : searcherNames()) {
    Searched first(tasks, options(name), 1);
    first.runTo(16);
    for (uint64_t order = 2; order < 5; ++order) {
      Searched other(tasks, options(name), order);
      other.runTo(16);
      EXPECT_EQ(textOf(other.rounds), textOf(first.rounds)) << name.str();
    }
  }
}

TEST_F(JobSearchTest, ARestoredSearchProposesWhatTheUnbrokenOneDoes) {
  for (llvm::StringRef name : searcherNames()) {
    for (size_t lookAhead : {0, 1, 2}) {
      Searched unbroken(tasks, options(name, lookAhead), 7);
      unbroken.runTo(13);
      for (size_t events = 0; events < unbroken.events.size(); ++events) {
        Searched resumed(tasks, options(name, lookAhead), events);
        resumed.resume(unbroken, events);
        size_t count = std::min(resumed.rounds.size() + 3, unbroken.rounds.size());
        resumed.runTo(count);
        ASSERT_EQ(textOf(resumed.rounds), textOf(llvm::ArrayRef(unbroken.rounds).take_front(count)))
            << name.str() << ", look-ahead " << lookAhead << ", after " << events << " events";
      }
    }
  }
}

TEST_F(JobSearchTest, ARestoredSearchEndsLikeTheUnbrokenOne) {
  Searched unbroken(tasks, options("mixed"), 7);
  unbroken.runTo(1000);
  Searched resumed(tasks, options("mixed"), 8);
  resumed.resume(unbroken, 90);
  resumed.runTo(1000);
  EXPECT_EQ(textOf(resumed.rounds), textOf(unbroken.rounds));
  EXPECT_EQ(resumed.search.trials(), 200) << "all entries of both spaces";
  for (size_t task : {0, 1}) {
    EXPECT_EQ(resumed.search.bestEntry(task), unbroken.search.bestEntry(task));
    EXPECT_EQ(resumed.search.bestSeconds(task), unbroken.search.bestSeconds(task));
    EXPECT_EQ(resumed.search.defaultSeconds(task), *secondsOf(tasks[task], 0));
  }
}

TEST_F(JobSearchTest, WaitsForTheResultsThatTheLookAheadRequires) {
  for (size_t lookAhead : {0, 1, 2}) {
    JobSearch search = llvm::cantFail(JobSearch::create(tasks, options("mixed", lookAhead)));
    for (size_t i = 0; i <= lookAhead; ++i) {
      ASSERT_TRUE(search.propose().has_value());
    }
    EXPECT_FALSE(search.propose().has_value()) << lookAhead << " rounds of look-ahead";
    search.complete(0, 0, 1.0);
    search.complete(0, 2, 1.0);
    EXPECT_FALSE(search.propose().has_value()) << "one result of round 0 is missing";
    EXPECT_FALSE(search.isFinished());
    search.complete(0, 1, std::nullopt);
    EXPECT_TRUE(search.propose().has_value());
  }
}

TEST_F(JobSearchTest, ResultsOfLaterRoundsDoNotCount) {
  auto thirdRound = [&](double secondsOfRoundOne) {
    std::vector<ModelTask> one = {gridTask("one", 1)};
    JobSearch search = llvm::cantFail(JobSearch::create(one, options("evolution")));
    SearchRound first = *search.propose(), second = *search.propose();
    for (size_t place = 0; place < 3; ++place) {
      search.complete(1, place, secondsOfRoundOne);
    }
    for (size_t place = 0; place < 3; ++place) {
      search.complete(0, place, 1e-3);
    }
    return search.propose()->entries;
  };
  EXPECT_EQ(thirdRound(1e-6), thirdRound(1.0));
}

TEST_F(JobSearchTest, EndsAtTheLimitOfTrials) {
  JobSearchOptions limited = options("mixed");
  limited.trials = 8;
  Searched run(tasks, limited, 1);
  run.runTo(100);
  EXPECT_EQ(run.search.trials(), 8);
  ASSERT_EQ(run.rounds.size(), 3u);
  EXPECT_EQ(run.rounds.back().entries.size(), 2u);
  EXPECT_TRUE(run.search.isFinished());
}

TEST_F(JobSearchTest, ProposesNothingThatIsKnown) {
  JobSearch search = llvm::cantFail(JobSearch::create(tasks, options("order")));
  search.know(0, {{0, 1e-6}, {1, std::nullopt}, {100000, 1.0}});
  EXPECT_EQ(search.bestSeconds(0), 1e-6);
  EXPECT_EQ(search.bestEntry(1), std::nullopt);
  SearchRound round = *search.propose();
  EXPECT_EQ(round.task, 1u) << "each task is tried once first";
  round = *search.propose();
  EXPECT_EQ(round.task, 0u);
  EXPECT_EQ(round.entries, (std::vector<size_t>{2, 3, 4}));
}

TEST_F(JobSearchTest, IgnoresASecondResult) {
  JobSearch search = llvm::cantFail(JobSearch::create(tasks, options("order")));
  search.propose();
  search.complete(0, 0, 2.0);
  search.complete(0, 0, 1.0);
  EXPECT_EQ(search.trials(), 1);
  EXPECT_EQ(search.bestSeconds(0), 2.0);
}

TEST_F(JobSearchTest, RefusesAnUnknownSearcher) {
  llvm::Expected<JobSearch> search = JobSearch::create(tasks, options("none"));
  EXPECT_EQ(
      llvm::toString(search.takeError()),
      "unknown search strategy 'none'; expected one of mixed, order, random, grid, evolution, "
      "descent");
}

TEST(GainPolicyTest, SharesTheExpectedGainWithRoundsInFlight) {
  TaskState heavy, light;
  heavy.entries = light.entries = 100;
  heavy.proposed = light.proposed = 4;
  heavy.bestSeconds = 3e-3;
  light.bestSeconds = 2e-3;
  GainPolicy policy;
  EXPECT_EQ(policy.next({heavy, light}), 0u);
  heavy.roundsInFlight = 1;
  EXPECT_EQ(policy.next({heavy, light}), 1u);
  light.proposed = 100;
  EXPECT_EQ(policy.next({heavy, light}), 0u) << "all entries of the other task were proposed";
  heavy.proposed = 100;
  EXPECT_EQ(policy.next({heavy, light}), std::nullopt);
}

} // namespace
} // namespace convoy::tuning
