// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the answers of the quantized model with the answers of the float model on the same
// samples.

#pragma once

#include "quantizer/evaluate/Evaluate.h"
#include "quantizer/proof/Promise.h"
#include <map>

namespace convoy::quantizer {

/// What the two models answer on some samples.
struct Measurement {
  /// With labels, `lost` and `gained` count correct answers. Without labels, `lost` counts the
  /// samples on which the models disagree and `gained` is 0.
  PairedCounts counts;
  bool hasLabels = false;
  Accuracy floats, quantized;
  int64_t disagreements = 0; // samples with different answers
  double meanRelativeL2 = 0; // of the first output; 0 if it was not measured
};

Measurement compare(const std::vector<Answer> &floats, const std::vector<Answer> &quantized,
                    bool hasLabels);

/// Returns the upper bound of the drop, or of the share of disagreements without labels.
double boundOf(const Measurement &measurement, double alpha);

/// Returns the bound that `samples` samples give if their answers change as often as in the
/// measurement.
double projectedBound(const Measurement &measurement, int64_t samples, double alpha);

/// Returns the number of samples that prove a limit with 80 % power; 0: no number does.
int64_t samplesNeeded(const Measurement &measurement, double limit, double alpha);

/// The answers on the samples of one class.
struct ClassChange {
  int64_t samples = 0, lost = 0, gained = 0, changed = 0;
};

/// A sample on which the two models answer differently.
struct ChangedSample {
  size_t index = 0; // in the data set
  std::string name;
  std::optional<int64_t> label;
  int64_t floatAnswer = -1, quantizedAnswer = -1;
};

/// Counts changes by the label, or by the float model's answer without labels.
std::map<int64_t, ClassChange> changesByClass(const io::Dataset &data,
                                              const std::vector<size_t> &samples,
                                              const std::vector<Answer> &floats,
                                              const std::vector<Answer> &quantized);

/// Returns the first `most` samples with different answers.
std::vector<ChangedSample> changedSamples(const io::Dataset &data,
                                          const std::vector<size_t> &samples,
                                          const std::vector<Answer> &floats,
                                          const std::vector<Answer> &quantized, size_t most);

} // namespace convoy::quantizer
