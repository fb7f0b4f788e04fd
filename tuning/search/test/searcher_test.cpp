// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the rules for all searchers and the purpose of each.

#include "tuning/search/Neighbors.h"
#include "tuning/search/Searcher.h"
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace convoy::tuning {
namespace {

/// A space of two knobs, 20 x 20. The estimate is right except where the first number is above
/// 6: there the time is three times the estimate.
struct Grid {
  Grid() {
    space.parts.push_back({{"a", "b"}, {1, 1}});
    for (int64_t a = 1; a <= 20; ++a) {
      for (int64_t b = 1; b <= 20; ++b) {
        SpaceEntry entry;
        entry.settings = {a, b};
        entry.cycles = 1000.0 * std::exp(0.1 * std::abs(static_cast<double>(a - 12)) +
                                         0.2 * std::abs(static_cast<double>(b - 7)));
        entry.configuration.templateId = "conv_direct";
        entry.configuration.text = "#kernel.conv_direct<block = " + std::to_string(a) +
                                   ", vectors = " + std::to_string(b) + ">";
        space.entries.push_back(entry);
      }
    }
    llvm::sort(space.entries,
               [](const SpaceEntry &x, const SpaceEntry &y) { return x.cycles < y.cycles; });
  }

  double seconds(size_t entry) const {
    const SpaceEntry &e = space.entries[entry];
    return e.cycles * 1e-9 * (e.settings[0] > 6 ? 3 : 1);
  }

  std::unique_ptr<Searcher> searcher(llvm::StringRef name, uint64_t seed = 1) const {
    SearchOptions options;
    options.seed = seed;
    return llvm::cantFail(createSearcher(name, space, options));
  }

  /// Returns all proposals of `trials` trials in batches of 8.
  std::vector<size_t> run(Searcher &search, size_t trials) const {
    std::vector<size_t> all;
    for (int64_t round = 0; all.size() < trials; ++round) {
      std::vector<size_t> batch = search.propose(8, round);
      if (batch.empty()) {
        break;
      }
      std::vector<Trial> outcomes;
      for (size_t entry : batch) {
        outcomes.push_back({entry, seconds(entry)});
        all.push_back(entry);
      }
      search.update(outcomes);
    }
    return all;
  }

  double best(const std::vector<size_t> &entries) const {
    double least = 1;
    for (size_t entry : entries) {
      least = std::min(least, seconds(entry));
    }
    return least;
  }

  TaskSpace space;
};

TEST(Searchers, ProposeEveryEntryOnce) {
  Grid grid;
  for (llvm::StringRef name : searcherNames()) {
    auto search = grid.searcher(name);
    std::vector<size_t> all = grid.run(*search, 1000);
    EXPECT_EQ(all.size(), 400u) << name.str();
    EXPECT_EQ(std::set<size_t>(all.begin(), all.end()).size(), 400u) << name.str();
    EXPECT_TRUE(search->propose(8, 99).empty()) << name.str();
  }
}

TEST(Searchers, AreDeterministic) {
  Grid grid;
  for (llvm::StringRef name : searcherNames()) {
    EXPECT_EQ(grid.run(*grid.searcher(name, 5), 64), grid.run(*grid.searcher(name, 5), 64))
        << name.str();
  }
  EXPECT_NE(grid.run(*grid.searcher("random", 5), 64), grid.run(*grid.searcher("random", 6), 64));
}

TEST(Searchers, LiveWithFailures) {
  Grid grid;
  for (llvm::StringRef name : searcherNames()) {
    auto search = grid.searcher(name);
    for (int round = 0; round < 4; ++round) {
      std::vector<Trial> outcomes;
      for (size_t entry : search->propose(8, round)) {
        outcomes.push_back({entry, std::nullopt});
      }
      ASSERT_EQ(outcomes.size(), 8u) << name.str();
      search->update(outcomes);
    }
  }
}

TEST(Searchers, HearOfTrialsByOthers) {
  Grid grid;
  for (llvm::StringRef name : searcherNames()) {
    auto search = grid.searcher(name);
    search->update({{0, 1e-3}, {1, std::nullopt}, {100000, 1.0}});
    EXPECT_THAT(grid.run(*search, 1000), testing::Not(testing::Contains(0))) << name.str();
  }
}

TEST(Searchers, AreNamed) {
  Grid grid;
  auto search = createSearcher("simulated", grid.space, {});
  EXPECT_EQ(llvm::toString(search.takeError()),
            "unknown search strategy 'simulated'; expected one of mixed, order, random, grid, "
            "evolution, descent");
}

TEST(MixedSearcher, StartsWithTheFirstThatDifferInTwoKnobs) {
  Grid grid;
  std::vector<size_t> batch = grid.searcher("mixed")->propose(3, 0);
  EXPECT_EQ(batch[0], 0u) << "the compiler's default";
  for (size_t i = 1; i < batch.size(); ++i) {
    EXPECT_LT(batch[i - 1], batch[i]) << "in the analytical order";
    for (size_t j = 0; j < i; ++j) {
      const SpaceEntry &a = grid.space.entries[batch[j]], &b = grid.space.entries[batch[i]];
      size_t differing = 0;
      for (auto [left, right] : llvm::zip(a.settings, b.settings)) {
        differing += left != right;
      }
      EXPECT_TRUE(a.part != b.part || differing >= 2) << batch[j] << " and " << batch[i];
    }
  }
}

TEST(MixedSearcher, LeavesATrapOfTheEstimate) {
  Grid grid;
  double best = 1;
  for (size_t i = 0; i < grid.space.entries.size(); ++i) {
    best = std::min(best, grid.seconds(i));
  }
  EXPECT_GT(grid.best(grid.run(*grid.searcher("order"), 8)), 1.5 * best) << "there is a trap";
  EXPECT_LT(grid.best(grid.run(*grid.searcher("mixed"), 64)), 1.1 * best);
}

TEST(MixedSearcher, TakesWhatOtherTasksTaught) {
  Grid grid;
  SearchOptions options;
  options.seed = 1;
  for (size_t i = 0; i < grid.space.entries.size(); i += 5) {
    options.examples.push_back(exampleOf(grid.space.entries[i], grid.seconds(i)));
  }
  center(options.examples);
  auto search = llvm::cantFail(createSearcher("mixed", grid.space, options));
  std::vector<size_t> first = search->propose(8, 0);
  EXPECT_EQ(first.front(), 0u) << "the default is always measured";
  EXPECT_LT(grid.best(first), 1.3 * grid.best(grid.run(*grid.searcher("order"), 400)));
}

TEST(DescentSearcher, WalksToTheBestNeighbor) {
  Grid grid;
  double best = 1;
  for (size_t i = 0; i < grid.space.entries.size(); ++i) {
    best = std::min(best, grid.seconds(i));
  }
  EXPECT_LT(grid.best(grid.run(*grid.searcher("descent"), 120)), 1.05 * best);
}

TEST(EvolutionSearcher, BeatsChance) {
  Grid grid;
  int wins = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    wins += grid.best(grid.run(*grid.searcher("evolution", seed), 80)) <=
            grid.best(grid.run(*grid.searcher("random", seed), 80));
  }
  EXPECT_GE(wins, 7);
}

TEST(GridSearcher, CoversTheSpaceEvenly) {
  Grid grid;
  std::set<std::pair<int64_t, int64_t>> quarters;
  for (size_t entry : grid.run(*grid.searcher("grid"), 16)) {
    quarters.insert({(grid.space.entries[entry].settings[0] - 1) / 5, 0});
  }
  EXPECT_EQ(quarters.size(), 4u);
}

TEST(Neighbors, DifferInOneKnob) {
  Grid grid;
  Neighbors neighbors(grid.space);
  size_t corner = *neighbors.find(0, {1, 1});
  std::vector<size_t> near = neighbors.of(corner);
  EXPECT_EQ(near.size(), 38u);
  const kernels::Settings &nearest = grid.space.entries[near[0]].settings;
  EXPECT_EQ(nearest[0] + nearest[1], 3) << "one step away";
  EXPECT_FALSE(neighbors.find(0, {99, 1}));
}

TEST(BestPerLayouts, KeepsWhatReordersDoNotMakeUpFor) {
  TaskSpace space;
  for (const char *layout :
       {"planar", "planar", "#graph.blocked<c = 8>", "#graph.blocked<c = 16>"}) {
    space.entries.emplace_back();
    space.entries.back().configuration.outputLayout = layout;
  }
  std::vector<Trial> trials = {{0, 5.0}, {1, 3.0}, {2, 1.0}, {3, std::nullopt}};
  std::vector<Trial> best = bestPerLayouts(space, trials, 2.5);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].entry, 2u);
  EXPECT_EQ(best[1].entry, 1u);
  EXPECT_EQ(bestPerLayouts(space, trials, 1.5).size(), 1u);
  EXPECT_TRUE(bestPerLayouts(space, {}, 1).empty());
}

} // namespace
} // namespace convoy::tuning
