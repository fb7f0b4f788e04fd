// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes encoded images to pixels, for graph.image_decode and for the images that io reads.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace convoy::reference {

/// Returns an error unless an image of this size has pixels and is within the
/// pixel limit.
llvm::Error checkImageSize(int64_t height, int64_t width);

/// An image with rows from the top and three bytes (red, green, blue) per
/// pixel.
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> rgb;

  /// Allocates the pixels; returns an error if the size is invalid.
  llvm::Error resize(int64_t imageHeight, int64_t imageWidth);
};

/// Decodes PNG, JPEG, JPEG 2000, TIFF, WebP, BMP or PNM, which are detected by
/// their first bytes. Ignores transparency.
llvm::Expected<Image> decodeImage(llvm::ArrayRef<uint8_t> bytes);

// One decoder per format.
llvm::Expected<Image> decodeBmp(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodeJpeg(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodeJpeg2000(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodePng(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodePnm(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodeTiff(llvm::ArrayRef<uint8_t> bytes);
llvm::Expected<Image> decodeWebp(llvm::ArrayRef<uint8_t> bytes);

/// Returns an error about the data of an image.
llvm::Error badImage(const llvm::Twine &message);

} // namespace convoy::reference
