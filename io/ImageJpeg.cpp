// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes JPEG with libjpeg and its default settings (accurate integer DCT, smooth chroma),
// which Pillow uses too. libjpeg reports errors by longjmp; see ImagePng.cpp.

#include "Support/TypedError.h"
#include "io/Files.h"
#include "io/Image.h"
#include <csetjmp>
#include <cstddef>
#include <cstdio>

#include <jpeglib.h>

namespace convoy::io {
namespace {

struct ErrorManager {
  jpeg_error_mgr base;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

void onError(j_common_ptr decoder) {
  auto *errors = reinterpret_cast<ErrorManager *>(decoder->err);
  decoder->err->format_message(decoder, errors->message);
  longjmp(errors->jump, 1); // NOLINT: libjpeg's way to report errors
}

void onMessage(j_common_ptr, int) {}
void onOutput(j_common_ptr) {}

bool readHeader(jpeg_decompress_struct &decoder, ErrorManager &errors, llvm::StringRef bytes) {
  if (setjmp(errors.jump)) { // NOLINT
    return false;
  }
  jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
  jpeg_read_header(&decoder, TRUE);
  return true;
}

bool readRows(jpeg_decompress_struct &decoder, ErrorManager &errors, Image &image) {
  if (setjmp(errors.jump)) { // NOLINT
    return false;
  }
  decoder.out_color_space = JCS_RGB;
  jpeg_start_decompress(&decoder);
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = &image.at(0, decoder.output_scanline, 0);
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  jpeg_finish_decompress(&decoder);
  return true;
}

llvm::Expected<Image> read(jpeg_decompress_struct &decoder, ErrorManager &errors,
                           llvm::StringRef bytes, llvm::StringRef name) {
  auto broken = [&] { return fileError("'" + name + "' is a broken JPEG: " + errors.message); };
  if (!readHeader(decoder, errors, bytes)) {
    return broken();
  }
  if (decoder.jpeg_color_space == JCS_CMYK || decoder.jpeg_color_space == JCS_YCCK) {
    return createUnsupported("'" + name + "': not supported: a CMYK JPEG; save it as RGB");
  }
  llvm::Expected<Image> image = makeImage(decoder.image_width, decoder.image_height, 3);
  if (!image) {
    return withPrefix("'" + name + "' ", image.takeError());
  }
  if (!readRows(decoder, errors, *image)) {
    return broken();
  }
  return image;
}

} // namespace

llvm::Expected<Image> decodeJpeg(llvm::StringRef bytes, llvm::StringRef name) {
  jpeg_decompress_struct decoder;
  ErrorManager errors;
  decoder.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = onError;
  errors.base.emit_message = onMessage;
  errors.base.output_message = onOutput;
  jpeg_create_decompress(&decoder);
  llvm::Expected<Image> image = read(decoder, errors, bytes, name);
  jpeg_destroy_decompress(&decoder);
  return image;
}

} // namespace convoy::io
