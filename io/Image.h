// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads images as 8-bit RGB, resizes and crops them. The resize produces the same bytes as
// Pillow's BILINEAR filter, which the preprocessing of most models uses.

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
  int64_t channels = 3; // 3: red, green, blue; 1: gray
  std::vector<uint8_t> pixels;

  uint8_t &at(int64_t x, int64_t y, int64_t c) { return pixels[(y * width + x) * channels + c]; }
  uint8_t at(int64_t x, int64_t y, int64_t c) const {
    return pixels[(y * width + x) * channels + c];
  }
};

/// Returns an image of zeros, or an error if the size exceeds the limits.
llvm::Expected<Image> makeImage(int64_t width, int64_t height, int64_t channels);

/// Returns whether the bytes start with the signature of a PNG, JPEG or BMP file.
bool isImage(llvm::StringRef bytes);

/// Reads a PNG, JPEG or BMP file as RGB. Drops the alpha channel and copies gray to all
/// channels.
llvm::Expected<Image> readImage(llvm::StringRef path);

/// Decodes the bytes of such a file. Errors contain `name`.
llvm::Expected<Image> decodeImage(llvm::StringRef bytes, llvm::StringRef name);

/// Resizes with an antialiased bilinear filter.
Image resize(const Image &image, ImageSize size);

/// Crops the center. The image must be at least as large as `size`.
Image cropCenter(const Image &image, ImageSize size);

/// Converts to ITU-R 601 luma, with Pillow's integer rounding.
Image toGray(const Image &image);

} // namespace convoy::io
