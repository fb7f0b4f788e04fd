// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observes the values of a model on samples with compiled code. Memory does not grow with the
// number of samples.

#pragma once

#include "QuantizePlan/Points.h"
#include "convoy/workflow.h"
#include "io/Dataset.h"

namespace convoy::quantizer {

/// The values of one tensor.
struct TensorStatistics {
  plan::TensorRange range; // minimum and maximum; not extended to zero
  double histogramLow = 0, histogramHigh = 0;
  std::vector<int64_t> histogram; // 2,048 bins; the range doubles when a value is outside
  std::vector<double> channelMeans, channelVariances; // of dimension 1; empty: the rank is below 2
  int64_t count = 0;
  int64_t nonFinite = 0;
};

struct ObserveOptions {
  int64_t threads = 2;
  std::function<void(size_t, size_t)> progress;
};

/// Returns the statistics of every activation of `points`, by tensor.
Result<std::map<std::string, TensorStatistics>>
observe(const onnx::ModelProto &prepared, const plan::Points &points, const InputPins &pins,
        const io::Dataset &data, const std::vector<size_t> &samples, const ObserveOptions &options);

/// The sums of products of a layer's inputs over all its output positions: X'X per group, of size
/// taps x taps, and the mean of the inputs per tap.
struct InputProducts {
  int64_t taps = 0; // input channels per group x kernel elements, in the order of the weights
  std::vector<std::vector<double>> products; // per group, row-major
  std::vector<std::vector<double>> sums;     // per group
  int64_t positions = 0;
};

/// Returns the products of each layer's inputs by the name of its weights. If `plan` is not null,
/// the inputs are quantized as the plan says.
Result<std::map<std::string, InputProducts>>
observeProducts(const onnx::ModelProto &prepared, const plan::Points &points, const InputPins &pins,
                const plan::Plan *plan, const io::Dataset &data, const std::vector<size_t> &samples,
                const ObserveOptions &options);

/// The rule that chooses the range of an activation.
enum class Clipping { MinMax, Percentile, Mse };

/// Returns the range of a tensor for a type: MinMax, the 99.99 % percentile, or the range with the
/// least mean squared error of the histogram. A symmetric range has zero at its center.
plan::TensorRange chooseRange(const TensorStatistics &statistics, Clipping clipping,
                              ElementType type, bool isSymmetric = false);

} // namespace convoy::quantizer
