// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds mistakes in the preprocessing of a data set before a model is quantized with it. `convoy
// quantize` prints them.
//
// With labels, the finder tries other forms of preprocessing on the samples and names the form that
// gives significantly more correct answers. If the answers are independent of the labels and no
// form helps, the labels belong to other samples. Without labels, it compares the mean and variance
// of the first convolution with the statistics that the BatchNormalization after it stores, which
// finds mistakes of range, mean and sign. The similarity of neighboring pixels shows a wrong
// layout and enlarged images.
//
// Limits: without labels, a wrong channel order is not found, and a model whose BatchNormalization
// is folded (MobileNetV2) gives no evidence of range, mean and sign. With labels, a mistake that
// costs less than kLeastGain of the accuracy is not found (values of 0 to 1 for mnist-8).

#pragma once

#include "convoy/workflow.h"
#include "io/Dataset.h"
#include "quantizer/observe/Observe.h"
#include <functional>
#include <string>
#include <vector>

namespace convoy::quantizer {

enum class MistakeKind {
  Range,        ///< 0 to 1 in place of 0 to 255, or the reverse.
  ChannelOrder, ///< RGB in place of BGR, or the reverse.
  MeanStd,      ///< The mean and standard deviation are missing or wrong.
  Layout,       ///< The dimensions of the samples have another order than the file says.
  Signedness,   ///< Signed bytes in place of unsigned bytes, or the reverse.
  Inversion,    ///< Dark pixels are light, and the reverse.
  Size,         ///< Another crop or size, or images that were enlarged.
  Labels,       ///< The labels are off by one, or belong to other samples.
  DeadChannels, ///< Channels of an activation are constant.
  Saturation,   ///< Many values of an input are at its limit.
  Outliers,     ///< Few values determine the range of an activation.
};

enum class Severity {
  Note,    ///< A fact that may be intended.
  Warning, ///< There is evidence that the result is worse than it could be.
};

struct Mistake {
  MistakeKind kind;
  Severity severity;
  std::string text; // what is wrong, the evidence with numbers, the remedy
};

/// The least gain of accuracy that is a mistake; a smaller gain is not worth a warning.
constexpr double kLeastGain = 0.01;

struct MistakeOptions {
  int64_t threads = 2;
  /// The probability of a false warning. Tests of several forms share it.
  double alpha = 0.01;
  /// The largest number of samples that the finder reads.
  size_t samples = 500;
  std::function<void(size_t, size_t)> progress;
};

/// Finds mistakes of preprocessing. `model` is the float model as the user gave it, because a
/// prepared model has no BatchNormalization. Use samples that are not part of a proof.
Result<std::vector<Mistake>> findMistakes(const Model &model, const InputPins &pins,
                                          const io::Dataset &data,
                                          const std::vector<size_t> &samples,
                                          const MistakeOptions &options);

/// Finds dead channels, saturation and outliers in the statistics of a model's activations.
/// `inputs` are the names of the model's inputs.
std::vector<Mistake>
findActivationMistakes(const std::map<std::string, TensorStatistics> &statistics,
                       const std::vector<std::string> &inputs);

/// Returns one line such as "channel order".
std::string nameOf(MistakeKind kind);

} // namespace convoy::quantizer
