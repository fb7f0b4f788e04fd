// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts an image to the tensor that a model input expects: size, channels, element type and
// layout.

#pragma once

#include "io/Image.h"
#include "io/ImageFlags.h"
#include "io/ModelFlags.h"

namespace convoy::io {

/// The dimensions of channels, rows and columns in the shape of an input.
struct ImageLayout {
  int64_t channelDim; // -1: no channel dimension, the image is gray
  int64_t heightDim, widthDim;
};

/// Chooses the layout for an input. Errors name the flag or the shape that is required.
llvm::Expected<ImageLayout> imageLayout(const InputInfo &input, DimOrder order);

/// Resizes and crops the image; docs/tutorial-large-models.md has a table of the values
/// of --resize. A side of -1 in `wanted` accepts any size.
llvm::Expected<Image> fitImage(Image image, ImageSize wanted, const ImageFlags &options);

/// Converts an RGB image to the type and shape of the input. Errors contain `name`.
llvm::Expected<Tensor> imageTensor(Image image, llvm::StringRef name, const InputInfo &input,
                                   const ImageFlags &options);

/// Reads the file and converts it to the type and shape of the input.
llvm::Expected<Tensor> readImageInput(llvm::StringRef path, const InputInfo &input,
                                      const ImageFlags &options);

} // namespace convoy::io
