// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds images whose pixels a network does not expect. `convoy run` prints the hint.

#pragma once

#include "convoy/model.h"
#include "io/ImageFlags.h"

namespace convoy::io {

/// Returns a hint if pixels from 0 to 1 go to a network that looks trained on ImageNet's
/// normalization: a float input of 3 channels, 1000 or 1001 classes, no op that normalizes the
/// input, and no flag about the values of pixels. Else returns an empty text.
std::string preprocessHint(const Model &model, const ImageFlags &flags);

/// Returns whether a file has the name of a PNG, JPEG or BMP image.
bool hasImageName(const std::string &path);

} // namespace convoy::io
