// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the search on measurements that a function of the plan defines, without a model.

#include "quantizer/search/Search.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

constexpr int64_t kSamples = 100000;

Measurement dropOf(double share) {
  Measurement measurement;
  measurement.hasLabels = true;
  measurement.counts = {kSamples, static_cast<int64_t>(share * kSamples), 0};
  return measurement;
}

bool isWide(const FittedPlan &candidate, const std::string &tensor) {
  return candidate.plan.findActivation(tensor)->type == ElementType::I16;
}

/// Three activations a, b, c and three layers of weights u, v, w.
struct SearchTest : ::testing::Test {
  SearchTest() {
    for (const char *name : {"a", "b", "c"}) {
      plan::ActivationPlan &activation = start.plan.activations.emplace_back();
      activation.tensor = name;
      plan::ActivationPlan wide = activation;
      wide.type = ElementType::I16;
      widenings.push_back({{wide}, 0});
    }
    for (const char *name : {"u", "v", "w"}) {
      plan::WeightPlan &weights = start.plan.weights.emplace_back();
      weights.tensor = name;
      Narrowing narrowing;
      narrowing.weights = weights;
      narrowing.weights.type = ElementType::I4;
      narrowing.elements = 100;
      narrowings.push_back(narrowing);
    }
    limits.maxDrop = 0.01;
    limits.proveSamples = kSamples;
    functions.cost = [](const FittedPlan &) {
      return Result<TargetCost>(TargetCost{100, 100, 100});
    };
  }

  void measureBy(std::function<double(const FittedPlan &)> drop) {
    functions.measure = [drop = std::move(drop)](const FittedPlan &candidate) {
      return Result<Measurement>(dropOf(drop(candidate)));
    };
  }

  FittedPlan start;
  std::vector<Widening> widenings;
  std::vector<Narrowing> narrowings;
  SearchLimits limits;
  SearchFunctions functions;
};

TEST_F(SearchTest, KeepsAPlanThatIsGoodEnough) {
  measureBy([](const FittedPlan &) { return 0.001; });
  Result<SearchOutcome> found = searchPlan(start, widenings, {}, limits, functions);
  ASSERT_TRUE(bool(found));
  EXPECT_TRUE(found->isPromising);
  ASSERT_EQ(found->steps.size(), 1U);
  EXPECT_EQ(found->steps[0].wide, 0);
}

TEST_F(SearchTest, WidensTheMostSensitiveTensorsFirstAndNoMoreThanNeeded) {
  widenings[0].error = 0.1;
  widenings[1].error = 0.5;
  widenings[2].error = 0.3;
  measureBy([](const FittedPlan &candidate) {
    return isWide(candidate, "b") && isWide(candidate, "c") ? 0.001 : 0.05;
  });
  Result<SearchOutcome> found = searchPlan(start, widenings, {}, limits, functions);
  ASSERT_TRUE(bool(found));
  EXPECT_TRUE(found->isPromising);
  EXPECT_FALSE(isWide(found->best, "a"));
  EXPECT_TRUE(isWide(found->best, "b"));
  EXPECT_TRUE(isWide(found->best, "c"));
}

TEST_F(SearchTest, PrefersTheCheaperOfTwoEquallySensitiveTensors) {
  for (Widening &widening : widenings) {
    widening.error = 0.2;
  }
  functions.cost = [](const FittedPlan &candidate) {
    double extra = isWide(candidate, "a") ? 50 : isWide(candidate, "b") ? 1 : 0;
    return Result<TargetCost>(TargetCost{100 + extra + (isWide(candidate, "c") ? 90 : 0), 100, 0});
  };
  measureBy([](const FittedPlan &candidate) { return isWide(candidate, "b") ? 0.001 : 0.05; });
  Result<SearchOutcome> found = searchPlan(start, widenings, {}, limits, functions);
  ASSERT_TRUE(bool(found));
  EXPECT_TRUE(isWide(found->best, "b"));
  EXPECT_FALSE(isWide(found->best, "a"));
  EXPECT_FALSE(isWide(found->best, "c"));
}

TEST_F(SearchTest, NeverChoosesWhatTheTargetCannotRun) {
  for (Widening &widening : widenings) {
    widening.error = 0.2;
  }
  functions.cost = [](const FittedPlan &candidate) -> Result<TargetCost> {
    Problems problems;
    problems.addError("not supported");
    return isWide(candidate, "a") ? Result<TargetCost>(problems)
                                  : Result<TargetCost>(TargetCost{100, 100, 100});
  };
  measureBy([](const FittedPlan &) { return 0.05; });
  Result<SearchOutcome> found = searchPlan(start, widenings, {}, limits, functions);
  ASSERT_TRUE(bool(found));
  EXPECT_FALSE(isWide(found->best, "a"));
}

TEST_F(SearchTest, NeverExceedsTheNumberOfWideTensors) {
  for (Widening &widening : widenings) {
    widening.error = 0.2;
  }
  limits.maxWide = 1;
  measureBy([](const FittedPlan &) { return 0.05; });
  Result<SearchOutcome> found = searchPlan(start, widenings, {}, limits, functions);
  ASSERT_TRUE(bool(found));
  EXPECT_FALSE(found->isPromising);
  EXPECT_LE(isWide(found->best, "a") + isWide(found->best, "b") + isWide(found->best, "c"), 1);
}

TEST_F(SearchTest, NarrowsAsManyLayersAsTheLimitAllows) {
  narrowings[0].error = 0.9; // u is the most sensitive layer
  auto isNarrow = [](const FittedPlan &candidate, const char *name) {
    return candidate.plan.findWeights(name)->type == ElementType::I4;
  };
  measureBy([&](const FittedPlan &candidate) { return isNarrow(candidate, "u") ? 0.05 : 0.001; });
  Result<SearchOutcome> found = searchPlan(start, {}, narrowings, limits, functions);
  ASSERT_TRUE(bool(found));
  EXPECT_TRUE(found->isPromising);
  EXPECT_FALSE(isNarrow(found->best, "u"));
  EXPECT_TRUE(isNarrow(found->best, "v"));
  EXPECT_TRUE(isNarrow(found->best, "w"));
}

TEST_F(SearchTest, KeepsTheDemandedShareOfFourBitBytes) {
  measureBy([](const FittedPlan &) { return 0.05; });
  limits.minNarrowShare = 0.5; // two of three layers: 100 of 200 bytes
  Result<SearchOutcome> found = searchPlan(start, {}, narrowings, limits, functions);
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(found->steps.back().narrow, 2);
}

TEST_F(SearchTest, ReportsLimitsThatNoPlanMeets) {
  measureBy([](const FittedPlan &) { return 0.001; });
  limits.nanoseconds = 50;
  Result<SearchOutcome> found = searchPlan(start, {}, {}, limits, functions);
  ASSERT_FALSE(bool(found));
  EXPECT_EQ(found.problems().firstError(),
            "no plan is within the limits: the smallest one found takes 0.000 ms and 100 bytes of "
            "workspace on the target, expected at most 0.000 ms and any number of bytes; raise "
            "--max-latency or --max-ram, or choose another target");
}

} // namespace
