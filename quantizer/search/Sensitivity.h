// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks the tensors of a plan by the error that each one alone causes at the output of the model.
// One compiled model has an input per tensor that switches its quantization on, so the ranking
// compiles once. An error at the output is a better criterion than an error at the tensor itself,
// because later layers amplify some errors and remove others.

#pragma once

#include "QuantizePlan/WriteQdq.h"
#include "io/Dataset.h"
#include <functional>

namespace convoy::quantizer {

struct TensorSensitivity {
  std::string tensor;
  bool isWeights = false;
  /// |y - y0| / |y0| over all samples, where y0 is the output of the float model and y the output
  /// with only this tensor quantized.
  double relativeError = 0;
};

struct SensitivityOptions {
  int64_t threads = 2;
  std::function<void(size_t, size_t)> progress;
};

/// Returns the tensors that the plan quantizes, the most sensitive first. `samples` are a few
/// samples of the calibration part; labels are not used.
Result<std::vector<TensorSensitivity>>
measureSensitivity(const onnx::ModelProto &prepared, const plan::Points &points,
                   const plan::Plan &plan, const plan::FittedWeights &fitted, const InputPins &pins,
                   const io::Dataset &data, const std::vector<size_t> &samples,
                   const SensitivityOptions &options);

} // namespace convoy::quantizer
