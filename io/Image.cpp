// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads images, crops, and converts to gray. The reference decodes the files, with the decoders of
// graph.image_decode; the resize filter is in ImageResize.cpp.

#include "io/Image.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "reference/ImageFormats.h"
#include <algorithm>

namespace convoy::io {

// Limits the memory that a malformed file can request. No network takes larger images.
constexpr int64_t kMaxSide = 65500;
constexpr int64_t kMaxPixels = int64_t(1) << 28;

static llvm::Error checkSize(int64_t width, int64_t height) {
  if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide ||
      width * height > kMaxPixels) {
    return fileError("is " + llvm::Twine(width) + "x" + llvm::Twine(height) +
                     " pixels; expected 1 to 65500 per side and at most 2^28 in total");
  }
  return llvm::Error::success();
}

llvm::Expected<Image> makeImage(int64_t width, int64_t height, int64_t channels) {
  if (llvm::Error error = checkSize(width, height)) {
    return std::move(error);
  }
  Image image{width, height, channels, {}};
  image.pixels.resize(width * height * channels);
  return image;
}

bool isImage(llvm::StringRef bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n") || bytes.starts_with("\xff\xd8\xff") ||
         bytes.starts_with("BM");
}

llvm::Expected<Image> decodeImage(llvm::StringRef bytes, llvm::StringRef name) {
  if (!isImage(bytes)) {
    return fileError("'" + name + "' is not a PNG, JPEG or BMP image");
  }
  llvm::Expected<reference::Image> decoded = reference::decodeImage(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  if (!decoded) {
    return withPrefix("'" + name + "': ", decoded.takeError());
  }
  if (llvm::Error error = checkSize(decoded->width, decoded->height)) {
    return withPrefix("'" + name + "' ", std::move(error));
  }
  return Image{decoded->width, decoded->height, 3, std::move(decoded->rgb)};
}

llvm::Expected<Image> readImage(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path);
  if (!buffer) {
    return buffer.takeError();
  }
  return decodeImage((*buffer)->getBuffer(), path);
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
