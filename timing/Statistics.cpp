// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses medians, because outliers of a measurement are slow and never fast.

#include "timing/Statistics.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace convoy::timing {
namespace {

// With this number of draws the ends of the interval vary by less than a tenth of its width.
constexpr int kResamples = 4000;

/// Returns the value at a share of the sorted values, by nearest rank.
double rank(llvm::ArrayRef<double> sorted, double share) {
  auto index = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<size_t>(index, 1, sorted.size()) - 1];
}

/// Draws as many values with replacement. The generator gives the same numbers on every platform;
/// the distributions of the standard library do not.
void draw(llvm::ArrayRef<double> values, std::mt19937_64 &random, std::vector<double> &drawn) {
  for (double &value : drawn) {
    value = values[random() % values.size()];
  }
}

/// Returns the estimate with the middle 95 % of the resampled ratios.
Estimate intervalOf(double value, std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  return {value, ratios[kResamples / 40], ratios[kResamples - 1 - kResamples / 40]};
}

} // namespace

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double spread(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  size_t tenth = values.size() / 10;
  return (values[values.size() - 1 - tenth] - values[tenth]) / median(values);
}

Percentiles percentiles(std::vector<double> values) {
  if (values.empty()) {
    return {};
  }
  std::sort(values.begin(), values.end());
  double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.size(),      values.front(),    sum / static_cast<double>(values.size()),
          rank(values, 0.5),  rank(values, 0.9), rank(values, 0.95),
          rank(values, 0.99), values.back()};
}

Estimate medianEstimate(llvm::ArrayRef<double> values) {
  return ratioOfMedians(values, std::vector<double>(values.size(), 1));
}

Estimate ratioOfMedians(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  size_t count = std::min(a.size(), b.size());
  if (count == 0) {
    return {};
  }
  std::mt19937_64 random(1);
  std::vector<double> ratios(kResamples);
  std::vector<double> drawnA(count), drawnB(count);
  for (double &ratio : ratios) {
    for (size_t i = 0; i < count; ++i) {
      size_t pair = random() % count;
      drawnA[i] = a[pair];
      drawnB[i] = b[pair];
    }
    ratio = median(drawnA) / median(drawnB);
  }
  return intervalOf(median(a.vec()) / median(b.vec()), std::move(ratios));
}

Estimate ratioOfSeparateMedians(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  if (a.empty() || b.empty()) {
    return {};
  }
  std::mt19937_64 random(1);
  std::vector<double> ratios(kResamples);
  std::vector<double> drawnA(a.size()), drawnB(b.size());
  for (double &ratio : ratios) {
    draw(a, random, drawnA);
    draw(b, random, drawnB);
    ratio = median(drawnA) / median(drawnB);
  }
  return intervalOf(median(a.vec()) / median(b.vec()), std::move(ratios));
}

double geometricMean(llvm::ArrayRef<double> values) {
  double sum = 0;
  for (double value : values) {
    sum += std::log(value);
  }
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

} // namespace convoy::timing
