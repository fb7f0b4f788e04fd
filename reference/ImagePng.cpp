// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes PNG with libpng and converts every color type to 8-bit RGB, as Pillow does: 16-bit
// samples lose their low byte, and the gamma of the file has no effect. libpng reports errors by
// longjmp, so no object with a destructor is created between setjmp and the end of decoding.

#include "reference/ImageFormats.h"
#include "llvm/ADT/Twine.h"
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <png.h>

namespace convoy::reference {
namespace {

struct Source {
  llvm::ArrayRef<uint8_t> rest;
  char message[128];
};

void readBytes(png_structp png, png_bytep out, size_t count) {
  auto *source = static_cast<Source *>(png_get_io_ptr(png));
  if (count > source->rest.size()) {
    png_error(png, "the data is truncated");
  }
  std::memcpy(out, source->rest.data(), count);
  source->rest = source->rest.drop_front(count);
}

void onError(png_structp png, png_const_charp message) {
  auto *source = static_cast<Source *>(png_get_error_ptr(png));
  std::snprintf(source->message, sizeof(source->message), "%s", message);
  longjmp(png_jmpbuf(png), 1); // NOLINT: libpng's way to report errors
}

void onWarning(png_structp, png_const_charp) {}

void setTransformations(png_structp png) {
  png_set_expand(png); // expands palettes, and gray of less than 8 bits
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
}

/// Reads the header. Returns false after an error.
bool readHeader(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png))) { // NOLINT
    return false;
  }
  png_read_info(png, info);
  setTransformations(png);
  png_read_update_info(png, info);
  return true;
}

bool readRows(png_structp png, png_bytep *rows) {
  if (setjmp(png_jmpbuf(png))) { // NOLINT
    return false;
  }
  png_read_image(png, rows);
  return true;
}

llvm::Expected<Image> read(png_structp png, png_infop info, const Source &source) {
  auto broken = [&] { return badImage(llvm::Twine("PNG: ") + source.message); };
  if (!readHeader(png, info)) {
    return broken();
  }
  Image image;
  if (llvm::Error error =
          image.resize(png_get_image_height(png, info), png_get_image_width(png, info))) {
    return error;
  }
  std::vector<png_bytep> rows;
  for (int64_t y = 0; y < image.height; ++y) {
    rows.push_back(&image.rgb[static_cast<size_t>(y * image.width * 3)]);
  }
  if (!readRows(png, rows.data())) {
    return broken();
  }
  return image;
}

} // namespace

llvm::Expected<Image> decodePng(llvm::ArrayRef<uint8_t> bytes) {
  Source source{bytes, "out of memory"};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, onError, onWarning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    return badImage("PNG: cannot start the decoder");
  }
  png_set_read_fn(png, &source, readBytes);
  llvm::Expected<Image> image = read(png, info, source);
  png_destroy_read_struct(&png, &info, nullptr);
  return image;
}

} // namespace convoy::reference
