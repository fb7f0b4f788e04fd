// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests races with simulated times.

#include "tuning/measure/Race.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace convoy::tuning {
namespace {

/// Returns times of 1000 ns x (1 + factor of the id + noise + drift of the machine).
class DrawnMeasurer : public Measurer {
public:
  llvm::Expected<std::vector<Measurement>> measure(llvm::ArrayRef<RunnableCandidate> candidates,
                                                   const MeasurePlan &plan) override {
    EXPECT_TRUE(plan.isInterleaved);
    std::vector<Measurement> results(candidates.size());
    for (int sample = 0; sample < plan.samples; ++sample) {
      drift += 0.01; // The machine slows down; only interleaving compensates for this.
      for (size_t i = 0; i < candidates.size(); ++i) {
        double noise = static_cast<double>(random() % 1000) / 1000 * 0.02;
        double ns = 1000 * (1 + factors[candidates[i].id] + noise + drift);
        results[i].samples.push_back({1000, static_cast<int64_t>(ns * 1000), 0, true});
        ++samples[candidates[i].id];
      }
    }
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].id == failing) {
        results[i].outcome = Outcome::Crash;
      }
    }
    return results;
  }

  std::map<std::string, double> factors;
  std::map<std::string, int> samples;
  std::string failing;
  double drift = 0;
  std::mt19937 random{1};
};

std::vector<RunnableCandidate> named(std::vector<std::string> ids) {
  std::vector<RunnableCandidate> candidates(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    candidates[i].id = ids[i];
  }
  return candidates;
}

RaceResult raceOf(DrawnMeasurer &measurer, std::vector<std::string> ids) {
  return llvm::cantFail(race(measurer, named(std::move(ids)), RaceOptions{}));
}

TEST(RaceTest, SlowOnesLeaveEarly) {
  DrawnMeasurer measurer;
  measurer.factors = {{"a", 0.2}, {"b", 0.0}, {"c", 0.5}};
  RaceResult result = raceOf(measurer, {"a", "b", "c"});
  EXPECT_TRUE(result.isDecided);
  EXPECT_LT(result.rounds, 4);
  EXPECT_EQ(result.order, (std::vector<size_t>{1, 0, 2}));
  EXPECT_EQ(result.measurements[1].samples.size(), static_cast<size_t>(measurer.samples["b"]));
}

TEST(RaceTest, EqualOnesRunToTheEnd) {
  DrawnMeasurer measurer;
  RaceResult result = raceOf(measurer, {"a", "b"});
  EXPECT_FALSE(result.isDecided);
  EXPECT_EQ(result.rounds, 6);
  EXPECT_EQ(result.measurements[0].samples.size(), 30u);
}

TEST(RaceTest, TwoPercentAreSeparated) {
  int right = 0;
  for (int seed = 0; seed < 20; ++seed) {
    DrawnMeasurer measurer;
    measurer.random.seed(seed);
    measurer.factors = {{"a", 0.02}, {"b", 0.0}};
    right += raceOf(measurer, {"a", "b"}).order.front() == 1;
  }
  EXPECT_GE(right, 18);
}

TEST(RaceTest, FailuresWinNothing) {
  DrawnMeasurer measurer;
  measurer.factors = {{"a", 0.1}, {"b", 0.0}};
  measurer.failing = "b";
  RaceResult result = raceOf(measurer, {"a", "b"});
  EXPECT_EQ(result.order, (std::vector<size_t>{0}));
  EXPECT_EQ(result.measurements[1].outcome, Outcome::Crash);
  measurer.failing = "a";
  EXPECT_TRUE(raceOf(measurer, {"a"}).order.empty());
}

} // namespace
} // namespace convoy::tuning
