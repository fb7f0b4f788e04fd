// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes uncompressed BMP files with palettes of 1, 4 and 8 bits, and with 24 and 32 bits per
// pixel. A file consists of a 14-byte file header, an info header of at least 40 bytes, a
// palette, and rows padded to 4 bytes. The first row is the bottom row unless the height is
// negative.

#include "Support/TypedError.h"
#include "reference/ImageFormats.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

namespace convoy::reference {
namespace {

constexpr size_t kFileHeader = 14, kInfoHeader = 40;
constexpr uint32_t kUncompressed = 0, kBitFields = 3;

struct Bmp {
  llvm::ArrayRef<uint8_t> bytes;
  int64_t width, height;
  bool isTopDown;
  int64_t bits;
  size_t palette, pixels; // offsets in the file
  size_t paletteEnd;
  int64_t rowBytes;
};

uint32_t u32(llvm::ArrayRef<uint8_t> bytes, size_t offset) {
  return llvm::support::endian::read32le(bytes.data() + offset);
}
uint16_t u16(llvm::ArrayRef<uint8_t> bytes, size_t offset) {
  return llvm::support::endian::read16le(bytes.data() + offset);
}

/// Returns whether the masks of a file with 32 bits per pixel define the order blue, green, red.
bool hasUsualMasks(llvm::ArrayRef<uint8_t> bytes) {
  constexpr size_t kMasks = kFileHeader + kInfoHeader;
  return bytes.size() >= kMasks + 12 && u32(bytes, kMasks) == 0xFF0000 &&
         u32(bytes, kMasks + 4) == 0xFF00 && u32(bytes, kMasks + 8) == 0xFF;
}

/// Reads the headers and checks that all offsets of the result are inside the file.
llvm::Expected<Bmp> parseHeader(llvm::ArrayRef<uint8_t> bytes) {
  if (bytes.size() < kFileHeader + kInfoHeader) {
    return badImage("BMP: the data is truncated");
  }
  uint32_t infoBytes = u32(bytes, kFileHeader), compression = u32(bytes, 30);
  auto height = static_cast<int32_t>(u32(bytes, 22));
  Bmp bmp{bytes,
          static_cast<int32_t>(u32(bytes, 18)),
          height,
          height < 0,
          u16(bytes, 28),
          kFileHeader + infoBytes,
          u32(bytes, 10),
          0,
          0};
  bmp.height = std::abs(bmp.height);
  bool isPlain = compression == kUncompressed ||
                 (compression == kBitFields && bmp.bits == 32 && hasUsualMasks(bytes));
  bool isKnownDepth =
      bmp.bits == 1 || bmp.bits == 4 || bmp.bits == 8 || bmp.bits == 24 || bmp.bits == 32;
  if (infoBytes < kInfoHeader || !isPlain || !isKnownDepth) {
    return createUnsupported("not supported: BMP of " + llvm::Twine(bmp.bits) +
                             " bits, compression " + llvm::Twine(compression) +
                             "; save it with 8, 24 or 32 bits, uncompressed");
  }
  if (llvm::Error error = checkImageSize(bmp.height, bmp.width)) {
    return error;
  }
  bmp.rowBytes = (bmp.width * bmp.bits + 31) / 32 * 4;
  size_t paletteBytes = bmp.bits <= 8 ? size_t(4) << bmp.bits : 0;
  uint32_t used = u32(bytes, 46);
  if (bmp.bits <= 8 && used > 0 && used < (1u << bmp.bits)) {
    paletteBytes = 4 * size_t(used);
  }
  bmp.paletteEnd = bmp.palette + paletteBytes;
  if (bmp.paletteEnd > bytes.size() || bmp.pixels > bytes.size() ||
      bytes.size() - bmp.pixels < static_cast<size_t>(bmp.rowBytes * bmp.height)) {
    return badImage("BMP: the data is truncated");
  }
  return bmp;
}

/// Returns the offset of the blue byte of a pixel, or nullopt if its index is beyond the end of a
/// short palette. Green and red follow the byte.
std::optional<size_t> blueOffset(const Bmp &bmp, size_t row, int64_t x) {
  if (bmp.bits > 8) {
    return row + x * (bmp.bits / 8);
  }
  int64_t perByte = 8 / bmp.bits;
  int64_t shift = 8 - bmp.bits * (x % perByte + 1);
  size_t index = bmp.bytes[row + x / perByte] >> shift & ((1 << bmp.bits) - 1);
  size_t blue = bmp.palette + 4 * index;
  return blue < bmp.paletteEnd ? std::optional(blue) : std::nullopt;
}

} // namespace

llvm::Expected<Image> decodeBmp(llvm::ArrayRef<uint8_t> bytes) {
  llvm::Expected<Bmp> bmp = parseHeader(bytes);
  if (!bmp) {
    return bmp.takeError();
  }
  Image image;
  if (llvm::Error error = image.resize(bmp->height, bmp->width)) {
    return error;
  }
  for (int64_t y = 0; y < bmp->height; ++y) {
    size_t row = bmp->pixels + (bmp->isTopDown ? y : bmp->height - 1 - y) * bmp->rowBytes;
    for (int64_t x = 0; x < bmp->width; ++x) {
      std::optional<size_t> blue = blueOffset(*bmp, row, x);
      for (int64_t c = 0; c < 3; ++c) {
        image.rgb[(y * bmp->width + x) * 3 + c] = blue ? bytes[*blue + 2 - c] : 0;
      }
    }
  }
  return image;
}

} // namespace convoy::reference
