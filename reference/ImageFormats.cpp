// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects image formats and decodes binary and plain PNM. ImageBmp.cpp, ImagePng.cpp and
// ImageLibraries.cpp decode the other formats.

#include "reference/ImageFormats.h"
#include "Support/TypedError.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>

namespace convoy::reference {

// 2^28 pixels, more than any network input.
constexpr int64_t kMaxPixels = int64_t(1) << 28;

llvm::Error badImage(const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), message);
}

llvm::Error checkImageSize(int64_t height, int64_t width) {
  if (height > 0 && width > 0 && height <= kMaxPixels / width) {
    return llvm::Error::success();
  }
  return badImage("the image is " + llvm::Twine(width) + " x " + llvm::Twine(height) +
                  " pixels, expected 1 to " + llvm::Twine(kMaxPixels) + " pixels in total");
}

llvm::Error Image::resize(int64_t imageHeight, int64_t imageWidth) {
  if (llvm::Error error = checkImageSize(imageHeight, imageWidth)) {
    return error;
  }
  height = imageHeight;
  width = imageWidth;
  rgb.resize(height * width * 3);
  return llvm::Error::success();
}

llvm::Expected<Image> decodeImage(llvm::ArrayRef<uint8_t> bytes) {
  llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (text.starts_with("\x89PNG")) {
    return decodePng(bytes);
  }
  if (text.starts_with("\xff\xd8\xff")) {
    return decodeJpeg(bytes);
  }
  if (text.starts_with(llvm::StringRef("\0\0\0\x0cjP  ", 8)) ||
      text.starts_with("\xff\x4f\xff\x51")) {
    return decodeJpeg2000(bytes);
  }
  if (text.starts_with(llvm::StringRef("II*\0", 4)) ||
      text.starts_with(llvm::StringRef("MM\0*", 4))) {
    return decodeTiff(bytes);
  }
  if (text.starts_with("RIFF") && text.substr(8).starts_with("WEBP")) {
    return decodeWebp(bytes);
  }
  if (text.starts_with("BM")) {
    return decodeBmp(bytes);
  }
  if (text.size() > 2 && text[0] == 'P' && text[1] >= '2' && text[1] <= '6') {
    return decodePnm(bytes);
  }
  return badImage("the data is not a PNG, JPEG, JPEG 2000, TIFF, WebP, BMP or PNM image");
}

//===-- PNM -----------------------------------------------------------------===//

namespace {

/// Reads the numbers of a PNM header and of the plain formats.
class PnmReader {
public:
  explicit PnmReader(llvm::ArrayRef<uint8_t> bytes) : bytes(bytes) {}

  /// Returns the next number, or nullopt at the end or at any other text.
  std::optional<int64_t> number() {
    skipSpace();
    int64_t value = 0;
    size_t begin = at;
    for (; at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '9' && value < (1 << 28); ++at) {
      value = value * 10 + (bytes[at] - '0');
    }
    return at == begin ? std::nullopt : std::optional<int64_t>(value);
  }
  /// Returns the next sample of a binary format.
  std::optional<int64_t> sample(int64_t sampleBytes) {
    if (at + sampleBytes > bytes.size()) {
      return std::nullopt;
    }
    int64_t value = sampleBytes == 1 ? bytes[at] : bytes[at] << 8 | bytes[at + 1];
    at += sampleBytes;
    return value;
  }

  size_t at = 2;

private:
  void skipSpace() {
    for (bool isComment = false; at < bytes.size(); ++at) {
      uint8_t c = bytes[at];
      isComment = isComment ? c != '\n' : c == '#';
      if (!isComment && c != ' ' && (c < '\t' || c > '\r')) {
        return;
      }
    }
  }

  llvm::ArrayRef<uint8_t> bytes;
};

} // namespace

llvm::Expected<Image> decodePnm(llvm::ArrayRef<uint8_t> bytes) {
  int kind = bytes[1] - '0';
  if (kind == 4) {
    return createUnsupported("not supported: PNM of type P4; supported are P2, P3, P5 and P6");
  }
  PnmReader reader(bytes);
  std::optional<int64_t> width = reader.number();
  std::optional<int64_t> height = reader.number();
  std::optional<int64_t> largest = reader.number();
  if (!width || !height || !largest || *largest < 1 || *largest > 65535) {
    return badImage("the PNM header lacks a width, a height or a maximum value in [1, 65535]");
  }
  Image image;
  if (llvm::Error error = image.resize(*height, *width)) {
    return error;
  }
  bool isPlain = kind <= 3;
  int64_t channels = kind == 3 || kind == 6 ? 3 : 1;
  ++reader.at; // One whitespace character ends the header.
  for (size_t i = 0; i < image.rgb.size(); i += 3) {
    for (int64_t c = 0; c < channels; ++c) {
      std::optional<int64_t> value =
          isPlain ? reader.number() : reader.sample(*largest < 256 ? 1 : 2);
      if (!value || *value > *largest) {
        return badImage("the PNM data is truncated, or a pixel exceeds the maximum value");
      }
      uint8_t byte = static_cast<uint8_t>((*value * 255 + *largest / 2) / *largest);
      std::fill_n(image.rgb.begin() + i + c, channels == 1 ? 3 : 1, byte);
    }
  }
  return image;
}

} // namespace convoy::reference
