// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects the format, crops, and converts to grey. The decoders are in
// Image{Png,Jpeg,Bmp}.cpp, the resize filter is in ImageResize.cpp.

#include "io/Image.h"
#include "io/Files.h"
#include <algorithm>

namespace convoy::io {

// Limits the memory that a malformed file can request. No network takes larger images.
constexpr int64_t kMaxSide = 65500;
constexpr int64_t kMaxPixels = int64_t(1) << 28;

llvm::Expected<Image> makeImage(int64_t width, int64_t height, int64_t channels) {
  if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide ||
      width * height > kMaxPixels) {
    return fileError("is " + llvm::Twine(width) + "x" + llvm::Twine(height) +
                     " pixels; expected 1 to 65500 per side and at most 2^28 in total");
  }
  Image image{width, height, channels, {}};
  image.pixels.resize(width * height * channels);
  return image;
}

static bool isPng(llvm::StringRef bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }
static bool isJpeg(llvm::StringRef bytes) { return bytes.starts_with("\xff\xd8\xff"); }
static bool isBmp(llvm::StringRef bytes) { return bytes.starts_with("BM"); }

bool isImage(llvm::StringRef bytes) { return isPng(bytes) || isJpeg(bytes) || isBmp(bytes); }

llvm::Expected<Image> readImage(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path);
  if (!buffer) {
    return buffer.takeError();
  }
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (isPng(bytes)) {
    return decodePng(bytes, path);
  }
  if (isJpeg(bytes)) {
    return decodeJpeg(bytes, path);
  }
  if (isBmp(bytes)) {
    return decodeBmp(bytes, path);
  }
  return fileError("'" + path + "' is not a PNG, JPEG or BMP image");
}

Image cropCenter(const Image &image, ImageSize size) {
  Image result{size.width, size.height, image.channels, {}};
  result.pixels.reserve(size.width * size.height * image.channels);
  int64_t left = (image.width - size.width) / 2;
  int64_t top = (image.height - size.height) / 2;
  for (int64_t y = 0; y < size.height; ++y) {
    auto row = image.pixels.begin() + ((top + y) * image.width + left) * image.channels;
    result.pixels.insert(result.pixels.end(), row, row + size.width * image.channels);
  }
  return result;
}

Image toGray(const Image &image) {
  if (image.channels == 1) {
    return image;
  }
  Image result{image.width, image.height, 1, {}};
  result.pixels.resize(image.width * image.height);
  for (size_t i = 0; i < result.pixels.size(); ++i) {
    const uint8_t *rgb = &image.pixels[3 * i];
    // The weights 0.299, 0.587 and 0.114 as 16-bit fixed point. Their sum is 65536.
    result.pixels[i] = (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 32768) >> 16;
  }
  return result;
}

} // namespace convoy::io
