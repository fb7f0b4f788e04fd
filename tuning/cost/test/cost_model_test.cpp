// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the features of configurations, and that the model learns errors of the estimate.

#include "Layout/Spaces.h"
#include "tuning/cost/CostModel.h"
#include <cmath>
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

SpaceEntry entry(int64_t vectors, int64_t pixels, double cycles = 1000, double cyclesByFewest = 1) {
  SpaceEntry entry;
  entry.configuration = {"conv_direct", 1,
                         "#kernel.conv_direct<block = 16, vectors = " + std::to_string(vectors) +
                             ", pixels = " + std::to_string(pixels) + ", fetchResult = true>",
                         "planar", "#graph.blocked<c = 16>"};
  entry.cycles = cycles;
  entry.cyclesByFewest = cyclesByFewest;
  return entry;
}

TEST(Features, AreTheNumbersOfTheText) {
  Features features = featuresOf(entry(2, 14, 1000, 1024));
  // The features are: one per template, 2 layouts, the estimate, and the numbers of the text.
  size_t templates = layout::templateVersions().size();
  ASSERT_EQ(features.size(), templates + 2 + 1 + 12);
  for (auto [i, known] : llvm::enumerate(layout::templateVersions())) {
    EXPECT_EQ(features[i], known.id == "conv_direct" ? 1 : 0);
  }
  auto rest = features.begin() + static_cast<ptrdiff_t>(templates);
  EXPECT_EQ(std::vector<float>(rest, rest + 8), (std::vector<float>{1, 16, 10, 16, 2, 14, 1, -1}));
}

TEST(Features, OfAnyTemplateAreAsMany) {
  SpaceEntry loops;
  loops.configuration.templateId = "loops";
  EXPECT_EQ(featuresOf(loops).size(), featuresOf(entry(1, 1)).size());
}

TEST(TreeModel, LearnsWhereTheEstimateIsWrong) {
  // Tiles of 4 vectors take twice the estimated time.
  std::vector<Example> examples;
  std::vector<Features> unseen;
  for (int64_t vectors : {1, 2, 4}) {
    for (int64_t pixels = 1; pixels < 14; ++pixels) {
      SpaceEntry point = entry(vectors, pixels, 1000.0 / static_cast<double>(pixels));
      double seconds = point.cycles * 1e-9 * (vectors == 4 ? 2 : 1);
      pixels % 2 == 0 ? unseen.push_back(featuresOf(point))
                      : examples.push_back(exampleOf(point, seconds));
    }
  }
  std::unique_ptr<CostModel> model = createTreeModel();
  EXPECT_EQ(model->predict(unseen), std::vector<float>(unseen.size(), 0.0f)) << "untrained";
  model->train(examples);
  std::vector<float> predicted = model->predict(unseen);
  for (size_t i = 0; i < predicted.size(); ++i) {
    double right = std::log(1e-9 * (i >= 12 ? 2 : 1));
    EXPECT_NEAR(predicted[i], right, 0.1) << i;
  }
}

TEST(TreeModel, IsTheSameEveryTime) {
  std::vector<Example> examples;
  for (int64_t pixels = 1; pixels < 30; ++pixels) {
    examples.push_back(exampleOf(entry(pixels % 5, pixels), 1e-6 * static_cast<double>(pixels)));
  }
  auto predictions = [&] {
    std::unique_ptr<CostModel> model = createTreeModel();
    model->train(examples);
    return model->predict({featuresOf(entry(3, 7)), featuresOf(entry(1, 9))});
  };
  EXPECT_EQ(predictions(), predictions());
}

} // namespace
} // namespace convoy::tuning
