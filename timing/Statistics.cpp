// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses medians, because outliers of a measurement are slow and never fast.

#include "timing/Statistics.h"
#include <algorithm>
#include <cmath>
#include <random>

namespace convoy::timing {
namespace {

// With this number of draws the ends of the interval vary by less than a tenth of its width.
constexpr int kResamples = 4000;

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

Estimate ratioOfMedians(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  size_t count = std::min(a.size(), b.size());
  if (count == 0) {
    return {};
  }
  // The generator gives the same numbers on every platform; the distributions of the standard
  // library do not.
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
  std::sort(ratios.begin(), ratios.end());
  return {median(a.vec()) / median(b.vec()), ratios[kResamples / 40],
          ratios[kResamples - 1 - kResamples / 40]};
}

double geometricMean(llvm::ArrayRef<double> values) {
  double sum = 0;
  for (double value : values) {
    sum += std::log(value);
  }
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

} // namespace convoy::timing
