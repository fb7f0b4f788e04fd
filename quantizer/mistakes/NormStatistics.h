// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds mistakes of preprocessing without labels: the first convolution of the samples must have
// the mean and variance that the BatchNormalization after it stores.

#pragma once

#include "quantizer/mistakes/Alternatives.h"

namespace convoy::quantizer {

/// Compares the forms by the statistics of the first convolution that a BatchNormalization reads.
/// A model without such a pair has no mistakes.
Result<std::vector<Mistake>> findNormMistakes(const Model &model, const InputPins &pins,
                                              const io::Dataset &data,
                                              const std::vector<size_t> &samples,
                                              const std::vector<Alternative> &forms,
                                              const MistakeOptions &options);

} // namespace convoy::quantizer
