// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians, spreads and confidence intervals of noisy measurements.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace convoy::timing {

/// Returns the median: the middle value, or the mean of the two middle values. Returns 0 for no
/// values.
double median(std::vector<double> values);

/// Returns the distance between the 10th and the 90th percentile, relative to the median. Returns
/// 0 for no values.
double spread(std::vector<double> values);

/// The distribution of the times of single runs. Each percentile is a measured value: the smallest
/// one that is not below the given share of all values (nearest rank).
struct Percentiles {
  size_t count = 0;
  double min = 0, mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

/// Returns zeros for no values.
Percentiles percentiles(std::vector<double> values);

/// A value with its 95 % confidence interval.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

/// Returns the median with its interval. The result is deterministic.
Estimate medianEstimate(llvm::ArrayRef<double> values);

/// Returns median(a) / median(b). Sample i of `a` and sample i of `b` were taken one after the
/// other under the same machine load, so the bootstrap draws them as pairs. The result is
/// deterministic.
Estimate ratioOfMedians(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b);

/// Returns median(a) / median(b) of samples from two separate measurements: the bootstrap draws
/// the samples of `a` and of `b` independently. The result is deterministic.
Estimate ratioOfSeparateMedians(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b);

/// Returns 0 for no values.
double geometricMean(llvm::ArrayRef<double> values);

} // namespace convoy::timing
