// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the statistics of one tensor over samples. Observe.cpp has one per tensor and thread.

#pragma once

#include "quantizer/observe/ProbedModel.h"

namespace convoy::quantizer {

/// A histogram of 2,048 bins whose width is a power of two and whose edges are multiples of the
/// width. If a value is outside, the width doubles and each pair of bins becomes one bin, so no
/// count is ever divided. Because of this, the result depends only on the values and not on
/// their order. The range always contains zero.
class GrowingHistogram {
public:
  static constexpr int64_t kBins = 2048;

  /// Makes the range contain these values.
  void include(float low, float high);
  /// Counts finite values, which must be in the range.
  void add(const float *values, int64_t count);
  void merge(const GrowingHistogram &other);

  double low() const { return static_cast<double>(first) * width(); }
  double high() const { return static_cast<double>(first + kBins) * width(); }
  const std::vector<int64_t> &counts() const { return bins; }

private:
  double width() const;
  void rebin(int newExponent, int64_t newFirst);

  float lowest = 0, highest = 0;
  int exponent = 0; // of the width
  int64_t first = 0;
  std::vector<int64_t> bins; // empty: no value yet
};

class TensorObserver {
public:
  /// Adds the values of one sample.
  void add(const ProbeValue &value);
  /// Adds the samples of another observer.
  void merge(const TensorObserver &other);
  TensorStatistics statistics() const;

private:
  void addFinite(const ProbeValue &value, float low, float high);
  void addChannels(const ProbeValue &value);

  plan::TensorRange range;
  GrowingHistogram histogram;
  std::vector<double> channelSums, channelSquares;
  int64_t perChannel = 0; // elements of each channel
  int64_t count = 0;      // finite elements
  int64_t nonFinite = 0;
};

} // namespace convoy::quantizer
