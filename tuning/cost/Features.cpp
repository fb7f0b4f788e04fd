// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the features of a configuration from its text, so configurations from records have
// them too.

#include "Layout/Spaces.h"
#include "tuning/cost/CostModel.h"
#include <cmath>

namespace convoy::tuning {
namespace {

/// The largest number of parameters in the text of a configuration.
constexpr size_t kNumbers = 12;

/// Returns the numbers after each '=' in "#kernel.x<a = 1, b = true>".
std::vector<float> numbersIn(llvm::StringRef text) {
  std::vector<float> numbers;
  while (!text.empty()) {
    text = text.split("= ").second;
    int64_t number = 0;
    if (text.consumeInteger(10, number)) {
      number = text.starts_with("true");
    }
    if (!text.empty()) {
      numbers.push_back(static_cast<float>(number));
    }
  }
  return numbers;
}

float blockOf(llvm::StringRef layout) {
  std::vector<float> numbers = numbersIn(layout);
  return numbers.empty() ? 1 : numbers[0];
}

} // namespace

Features featuresOf(const SpaceEntry &entry) {
  const Configuration &configuration = entry.configuration;
  Features features;
  for (const layout::TemplateVersion &known : layout::templateVersions()) {
    features.push_back(known.id == configuration.templateId ? 1.0f : 0.0f);
  }
  features.push_back(blockOf(configuration.inputLayout));
  features.push_back(blockOf(configuration.outputLayout));
  features.push_back(static_cast<float>(std::log2(entry.cyclesByFewest)));
  std::vector<float> numbers = numbersIn(configuration.text);
  numbers.resize(kNumbers, -1.0f);
  features.insert(features.end(), numbers.begin(), numbers.end());
  return features;
}

Example exampleOf(const SpaceEntry &entry, double seconds) {
  double slowness = std::log(seconds / std::max(entry.cycles, 1.0));
  return {featuresOf(entry), static_cast<float>(slowness)};
}

void center(std::vector<Example> &examples) {
  double sum = 0;
  for (const Example &example : examples) {
    sum += example.slowness;
  }
  for (Example &example : examples) {
    example.slowness -= static_cast<float>(sum / static_cast<double>(examples.size()));
  }
}

} // namespace convoy::tuning
