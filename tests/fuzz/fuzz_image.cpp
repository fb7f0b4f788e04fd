// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary bytes to the decoders of images: of data sets (PNG, JPEG, BMP), and of
// ImageDecoder (also JPEG 2000, TIFF, WebP, PNM).

#include "io/Image.h"
#include "reference/ImageFormats.h"
#include "tests/fuzz/Target.h"

using namespace convoy;

// Resizing a large image takes long and finds nothing that a small image does not find.
constexpr int64_t kMaxPixels = 1 << 16;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto decoded = reference::decodeImage(llvm::ArrayRef<uint8_t>(data, size));
  fuzz::isAccepted(decoded);
  llvm::Expected<io::Image> image = io::decodeImage(fuzz::textOf(data, size), "fuzz.png");
  if (!fuzz::isAccepted(image) || image->width * image->height > kMaxPixels) {
    return 0;
  }
  io::Image small = io::resize(*image, {7, 5});
  io::toGray(io::cropCenter(small, {3, 4}));
  return 0;
}
