// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images as 8-bit RGB, from files, and their geometry. The resize gives the
// same bytes as Pillow's BILINEAR, which most models were trained with.

#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace convoy::io {

struct ImageSize {
  int64_t width, height;
};

/// Rows from the top, pixels from the left, channels interleaved.
struct Image {
  int64_t width = 0, height = 0;
  int64_t channels = 3; // 3: red, green, blue; 1: grey
  std::vector<uint8_t> pixels;

  uint8_t &at(int64_t x, int64_t y, int64_t c) { return pixels[(y * width + x) * channels + c]; }
  uint8_t at(int64_t x, int64_t y, int64_t c) const {
    return pixels[(y * width + x) * channels + c];
  }
};

/// An image of zeros, or an error for a size out of limits.
llvm::Expected<Image> makeImage(int64_t width, int64_t height, int64_t channels);

/// Whether the bytes begin as a PNG, JPEG or BMP file does.
bool isImage(llvm::StringRef bytes);

/// Reads a PNG, JPEG or BMP file as RGB. Alpha is dropped, grey is spread.
llvm::Expected<Image> readImage(llvm::StringRef path);

// One per format; `name` is for errors.
llvm::Expected<Image> decodePng(llvm::StringRef bytes, llvm::StringRef name);
llvm::Expected<Image> decodeJpeg(llvm::StringRef bytes, llvm::StringRef name);
llvm::Expected<Image> decodeBmp(llvm::StringRef bytes, llvm::StringRef name);

/// Resizes with an antialiased bilinear filter.
Image resize(const Image &image, ImageSize size);

/// Cuts the middle; the image must be at least that large.
Image cropCenter(const Image &image, ImageSize size);

/// ITU-R 601 luma, with the integer rounding of Pillow.
Image toGray(const Image &image);

} // namespace convoy::io
