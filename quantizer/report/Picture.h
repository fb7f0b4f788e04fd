// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the input tensor of a sample as a picture inside an HTML page.

#pragma once

#include "convoy/tensor.h"
#include <string>

namespace convoy::quantizer {

/// Returns an <img> element with the picture as BMP data, or an empty text if the tensor is not an
/// image: rank 4 with one or three channels in dimension 1 or 3, or rank 3 or 2 without a batch.
/// The smallest value is black and the largest value is white, because the preprocessing of the
/// model is not inverted.
std::string pictureOf(const TensorData &tensor);

} // namespace convoy::quantizer
