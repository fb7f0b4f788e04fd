// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts paired answers. Promise.h has the statistics.

#include "quantizer/proof/Measurement.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace convoy::quantizer {
namespace {

// One-sided 5 % and 20 %: the normal quantiles of Promise.h's sample sizes.
constexpr double kPower = 0.8416; // quantile of 80 % power

/// Returns the number of samples so that the bound by Clopper and Pearson of an unchanged share of
/// disagreements is at most `limit`, by bisection.
int64_t samplesForShare(double share, double limit, double alpha) {
  if (share >= limit) {
    return 0;
  }
  constexpr int64_t kMost = int64_t(1) << 40;
  int64_t low = 0, high = 1;
  // The count is the 80 % quantile of the disagreements, so that four of five data sets of this
  // size suffice.
  auto proves = [&](int64_t n) {
    double mean = share * static_cast<double>(n);
    auto count = static_cast<int64_t>(std::ceil(mean + kPower * std::sqrt(mean * (1 - share))));
    return shareBound(std::min(count, n), n, alpha) <= limit;
  };
  while (high < kMost && !proves(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (proves(middle) ? high : low) = middle;
  }
  return high < kMost ? high : 0;
}

double shareOf(int64_t count, int64_t samples) {
  return samples > 0 ? static_cast<double>(count) / static_cast<double>(samples) : 0;
}

} // namespace

Measurement compare(const std::vector<Answer> &floats, const std::vector<Answer> &quantized,
                    bool hasLabels) {
  Measurement result;
  result.hasLabels = hasLabels;
  result.floats = accuracyOf(floats);
  result.quantized = accuracyOf(quantized);
  result.counts.samples = static_cast<int64_t>(floats.size());
  double sum = 0;
  for (auto [before, after] : llvm::zip_equal(floats, quantized)) {
    result.disagreements += before.top != after.top || after.isNaN;
    // Without an answer of the float model, a sample is no evidence for the quantized model.
    result.counts.lost += hasLabels && ((before.isRight && !after.isRight) || before.isNaN);
    result.counts.gained += hasLabels && !before.isRight && after.isRight;
    sum += after.relativeL2;
  }
  if (!hasLabels) {
    result.counts.lost = result.disagreements;
  }
  result.meanRelativeL2 = floats.empty() ? 0 : sum / static_cast<double>(floats.size());
  return result;
}

double boundOf(const Measurement &measurement, double alpha) {
  const PairedCounts &counts = measurement.counts;
  return measurement.hasLabels ? dropBound(counts, alpha)
                               : shareBound(counts.lost, counts.samples, alpha);
}

double projectedBound(const Measurement &measurement, int64_t samples, double alpha) {
  const PairedCounts &counts = measurement.counts;
  auto scaled = [&](int64_t count) {
    return static_cast<int64_t>(
        std::llround(shareOf(count, counts.samples) * static_cast<double>(samples)));
  };
  Measurement projected = measurement;
  projected.counts = {samples, scaled(counts.lost), scaled(counts.gained)};
  return boundOf(projected, alpha);
}

int64_t samplesNeeded(const Measurement &measurement, double limit, double alpha) {
  if (measurement.hasLabels) {
    return samplesFor(measurement.counts, limit, alpha);
  }
  return samplesForShare(shareOf(measurement.counts.lost, measurement.counts.samples), limit,
                         alpha);
}

std::map<int64_t, ClassChange> changesByClass(const io::Dataset &data,
                                              const std::vector<size_t> &samples,
                                              const std::vector<Answer> &floats,
                                              const std::vector<Answer> &quantized) {
  std::map<int64_t, ClassChange> classes;
  for (auto [index, before, after] : llvm::zip_equal(samples, floats, quantized)) {
    ClassChange &change = classes[data.label(index).value_or(before.top)];
    ++change.samples;
    change.lost += before.isRight && !after.isRight;
    change.gained += !before.isRight && after.isRight;
    change.changed += before.top != after.top;
  }
  return classes;
}

std::vector<ChangedSample> changedSamples(const io::Dataset &data,
                                          const std::vector<size_t> &samples,
                                          const std::vector<Answer> &floats,
                                          const std::vector<Answer> &quantized, size_t most) {
  std::vector<ChangedSample> changed;
  for (auto [index, before, after] : llvm::zip_equal(samples, floats, quantized)) {
    if (before.top != after.top && changed.size() < most) {
      changed.push_back({index, data.nameOf(index), data.label(index), before.top, after.top});
    }
  }
  return changed;
}

} // namespace convoy::quantizer
