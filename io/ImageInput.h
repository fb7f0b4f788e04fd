// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image as the tensor that an input expects: size, channels, numbers.

#pragma once

#include "io/Image.h"
#include "io/ImageFlags.h"
#include "io/ModelFlags.h"

namespace convoy::io {

/// Where channels, rows and columns are in an input's shape.
struct ImageLayout {
  int64_t channelDim; // -1: no such dimension, the image is grey
  int64_t heightDim, widthDim;
};

/// Chooses the layout for an input. Errors say what flag or shape is needed.
llvm::Expected<ImageLayout> imageLayout(const InputInfo &input, llvm::StringRef flag);

/// Resizes and crops: see the table at --resize in docs/tutorial.md. A wanted
/// side of -1 is open.
llvm::Expected<Image> fitImage(Image image, ImageSize wanted, const ImageFlags &options);

/// Reads the file and converts it.
llvm::Expected<Tensor> readImageInput(llvm::StringRef path, const InputInfo &input,
                                      const ImageFlags &options);

} // namespace convoy::io
