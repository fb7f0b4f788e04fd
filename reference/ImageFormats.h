// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoded images to pixels.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace convoy::reference {

/// An error unless a picture of this size has pixels and not too many.
llvm::Error checkImageSize(int64_t height, int64_t width);

/// Rows from the top, three bytes (red, green, blue) a pixel.
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> rgb;

  /// Makes room for the pixels; an error when the size is not one.
  llvm::Error resize(int64_t imageHeight, int64_t imageWidth);
};

/// Decodes PNG, JPEG, JPEG 2000, TIFF, WebP, BMP or PNM, told apart by their
/// first bytes. Transparency is dropped.
llvm::Expected<Image> decodeImage(llvm::ArrayRef<uint8_t> bytes);

// One per format.
llvm::Expected<Image> decodeBmp(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodeJpeg(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodeJpeg2000(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodePng(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodePnm(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodeTiff(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodeWebp(llvm::ArrayRef<uint8_t> bytes);

/// An error about the bytes of an image.
llvm::Error badImage(const llvm::Twine &message);

} // namespace convoy::reference
