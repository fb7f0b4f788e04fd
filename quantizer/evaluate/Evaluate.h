// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs models on a data set and measures accuracy and agreement.

#pragma once

#include "convoy/artifact.h"
#include "convoy/workflow.h"
#include "io/Dataset.h"
#include <functional>
#include <memory>
#include <vector>

namespace convoy::quantizer {

/// The output of a model for one sample, reduced so that memory does not grow with its size.
struct Answer {
  int64_t top = -1;      // index of the largest element of the first output; -1: it has a NaN
  bool isRight = false;  // top equals the label; false without labels
  bool isInTopK = false; // the label is among the K largest
  bool isNaN = false;    // the first output has a NaN, which is no class and never right
  double relativeL2 = 0; // |y - reference| / |reference| of the first output; 0 without reference
};

struct EvaluateOptions {
  int64_t topK = 5;
  int64_t threads = 2; // models that run side by side
  /// If set, Answer::relativeL2 compares with this model.
  std::shared_ptr<const Workflow> reference;
  /// Called with the number of finished samples and the total, by one thread at a time.
  std::function<void(size_t, size_t)> progress;
  /// If set, called with the position in `samples` and the first output of each sample, by several
  /// threads. The tensor is valid during the call.
  std::function<llvm::Error(size_t, const Tensor &)> output;
};

/// Runs the model of a workflow on the samples. The workflow determines target and numerics.
/// Returns one answer per sample, in the order of `samples`, and a warning if outputs have a NaN.
Result<std::vector<Answer>> evaluate(const Workflow &model, const io::Dataset &data,
                                     const std::vector<size_t> &samples,
                                     const EvaluateOptions &options);

struct Accuracy {
  size_t samples = 0, right = 0, rightInTopK = 0;
  double top1() const { return samples ? static_cast<double>(right) / samples : 0; }
};

Accuracy accuracyOf(const std::vector<Answer> &answers);

} // namespace convoy::quantizer
