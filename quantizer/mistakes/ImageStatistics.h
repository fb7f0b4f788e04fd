// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds mistakes in images without labels and without the model: neighboring pixels of an image
// are similar, and an image that was enlarged is smooth.

#pragma once

#include "quantizer/mistakes/Alternatives.h"

namespace convoy::quantizer {

/// Warns of samples whose pixels are much more similar to their neighbors in another layout, and
/// notes samples that were enlarged.
std::vector<Mistake> findImageMistakes(const Model &model, const InputPins &pins,
                                       const io::Dataset &data, const std::vector<size_t> &samples,
                                       const std::vector<Alternative> &forms);

} // namespace convoy::quantizer
