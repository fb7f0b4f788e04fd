// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes PNG with libpng and converts every colour type to 8-bit RGB. libpng reports errors
// by longjmp, so no object with a destructor is created between setjmp and the end of
// decoding.

#include "Support/TypedError.h"
#include "io/Files.h"
#include "io/Image.h"
#include <csetjmp>
#include <cstring>
#include <png.h>

namespace convoy::io {
namespace {

struct Source {
  llvm::StringRef rest;
  char message[128];
};

void readBytes(png_structp png, png_bytep out, size_t count) {
  auto *source = static_cast<Source *>(png_get_io_ptr(png));
  if (count > source->rest.size()) {
    png_error(png, "the file is truncated");
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
  png_set_expand(png); // expands palettes, and grey of less than 8 bits
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

llvm::Expected<Image> read(png_structp png, png_infop info, Source &source, llvm::StringRef name) {
  auto broken = [&] { return fileError("'" + name + "' is a broken PNG: " + source.message); };
  if (!readHeader(png, info)) {
    return broken();
  }
  llvm::Expected<Image> image =
      makeImage(png_get_image_width(png, info), png_get_image_height(png, info), 3);
  if (!image) {
    return withPrefix("'" + name + "' ", image.takeError());
  }
  std::vector<png_bytep> rows;
  for (int64_t y = 0; y < image->height; ++y) {
    rows.push_back(&image->at(0, y, 0));
  }
  if (!readRows(png, rows.data())) {
    return broken();
  }
  return image;
}

} // namespace

llvm::Expected<Image> decodePng(llvm::StringRef bytes, llvm::StringRef name) {
  Source source{bytes, "out of memory"};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, onError, onWarning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    return fileError("cannot start the PNG decoder");
  }
  png_set_read_fn(png, &source, readBytes);
  llvm::Expected<Image> image = read(png, info, source, name);
  png_destroy_read_struct(&png, &info, nullptr);
  return image;
}

} // namespace convoy::io
