// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the image formats except PNG that require libraries. Each function passes bytes
// from memory to the library and converts its failures to an llvm::Error.

#include "Support/TypedError.h"
#include "reference/ImageFormats.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>

#include <jerror.h> // needs jpeglib.h
#include <jpeglib.h>
#include <openjpeg.h>
#include <tiffio.h>
#include <webp/decode.h>

namespace convoy::reference {

//===-- JPEG ----------------------------------------------------------------===//

namespace {

/// libjpeg's error manager, followed by the jump target and the message.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

} // namespace

[[noreturn]] static void jumpOnJpegError(j_common_ptr info) {
  auto *errors = reinterpret_cast<JpegErrors *>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->back, 1);
}

/// Makes missing data an error. libjpeg only warns and fills the rest of the image with gray.
static void refuseMissingData(j_common_ptr info, int level) {
  int code = info->err->msg_code;
  const auto &jpeg = *reinterpret_cast<j_decompress_ptr>(info);
  bool hasAllRows = jpeg.output_height > 0 && jpeg.output_scanline >= jpeg.output_height;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER) && !hasAllRows) {
    jumpOnJpegError(info);
  }
}

/// Runs the decoder with libjpeg's default settings (accurate integer DCT, smooth chroma), which
/// Pillow uses, too. Returns whether it succeeded. The frame must not
/// contain an object with a destructor, because errors leave it with longjmp.
static bool runJpeg(jpeg_decompress_struct &jpeg, JpegErrors &errors, llvm::ArrayRef<uint8_t> bytes,
                    Image &image, llvm::Error &refusal) {
  if (setjmp(errors.back)) {
    return false;
  }
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, bytes.data(), bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  bool isCmyk = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  refusal = isCmyk ? createUnsupported("not supported: a CMYK JPEG; save it as RGB")
                   : image.resize(jpeg.image_height, jpeg.image_width);
  if (refusal) {
    return true;
  }
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = image.rgb.data() + static_cast<size_t>(jpeg.output_scanline) * image.width * 3;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

llvm::Expected<Image> decodeJpeg(llvm::ArrayRef<uint8_t> bytes) {
  jpeg_decompress_struct jpeg = {};
  JpegErrors errors = {};
  jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = jumpOnJpegError;
  errors.manager.emit_message = refuseMissingData;
  errors.manager.output_message = [](j_common_ptr) {};
  Image image;
  llvm::Error refusal = llvm::Error::success();
  bool isDone = runJpeg(jpeg, errors, bytes, image, refusal);
  jpeg_destroy_decompress(&jpeg);
  if (refusal) {
    return refusal;
  }
  if (!isDone) {
    return badImage(llvm::Twine("JPEG: ") + errors.message);
  }
  return image;
}

llvm::Expected<Image> decodeWebp(llvm::ArrayRef<uint8_t> bytes) {
  int width = 0;
  int height = 0;
  if (!WebPGetInfo(bytes.data(), bytes.size(), &width, &height)) {
    return badImage("WebP: the header is damaged");
  }
  Image image;
  if (llvm::Error error = image.resize(height, width)) {
    return error;
  }
  if (!WebPDecodeRGBInto(bytes.data(), bytes.size(), image.rgb.data(), image.rgb.size(),
                         width * 3)) {
    return badImage("WebP: the data is damaged or incomplete");
  }
  return image;
}

//===-- TIFF ----------------------------------------------------------------===//

namespace {

/// Bytes in memory that a library reads like a file.
struct ByteStream {
  llvm::ArrayRef<uint8_t> bytes;
  uint64_t at = 0;

  uint64_t read(void *out, uint64_t count) {
    uint64_t left = at < bytes.size() ? bytes.size() - at : 0;
    count = std::min(count, left);
    if (count > 0) {
      std::memcpy(out, bytes.data() + at, count);
    }
    at += count;
    return count;
  }
};

ByteStream &streamOf(void *handle) { return *static_cast<ByteStream *>(handle); }

toff_t seekTiff(thandle_t handle, toff_t offset, int whence) {
  ByteStream &stream = streamOf(handle);
  stream.at = offset + (whence == SEEK_CUR   ? stream.at
                        : whence == SEEK_END ? stream.bytes.size()
                                             : 0);
  return stream.at;
}

} // namespace

llvm::Expected<Image> decodeTiff(llvm::ArrayRef<uint8_t> bytes) {
  ByteStream stream{bytes};
  std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                           TIFFOpenOptionsFree);
  // A handler that returns 1 suppresses the library's output to stderr.
  auto silence = [](TIFF *, void *, const char *, const char *, va_list) { return 1; };
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), silence, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), silence, nullptr);
  std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(
      TIFFClientOpenExt(
          "memory", "rm", &stream,
          [](thandle_t h, void *out, tmsize_t count) -> tmsize_t {
            return streamOf(h).read(out, count);
          },
          [](thandle_t, void *, tmsize_t) -> tmsize_t { return 0; }, seekTiff,
          [](thandle_t) { return 0; },
          [](thandle_t h) -> toff_t { return streamOf(h).bytes.size(); }, nullptr, nullptr,
          options.get()),
      TIFFClose);
  uint32_t width = 0;
  uint32_t height = 0;
  if (!tiff || !TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) ||
      !TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height)) {
    return badImage("TIFF: the header is damaged");
  }
  Image image;
  if (llvm::Error error = image.resize(height, width)) {
    return error;
  }
  std::vector<uint32_t> raster(static_cast<size_t>(width) * height);
  if (!TIFFReadRGBAImageOriented(tiff.get(), width, height, raster.data(), ORIENTATION_TOPLEFT,
                                 /*stop=*/1)) {
    return badImage("TIFF: the data is damaged or libtiff does not support its format");
  }
  for (size_t i = 0; i < raster.size(); ++i) {
    image.rgb[3 * i] = TIFFGetR(raster[i]);
    image.rgb[3 * i + 1] = TIFFGetG(raster[i]);
    image.rgb[3 * i + 2] = TIFFGetB(raster[i]);
  }
  return image;
}

//===-- JPEG 2000 -----------------------------------------------------------===//

static std::unique_ptr<opj_stream_t, decltype(&opj_stream_destroy)>
openJpeg2000(ByteStream &bytes) {
  opj_stream_t *stream = opj_stream_default_create(/*p_is_input=*/OPJ_TRUE);
  opj_stream_set_user_data(stream, &bytes, nullptr);
  opj_stream_set_user_data_length(stream, bytes.bytes.size());
  opj_stream_set_read_function(stream, [](void *out, OPJ_SIZE_T count, void *user) {
    uint64_t got = streamOf(user).read(out, count);
    return got ? static_cast<OPJ_SIZE_T>(got) : static_cast<OPJ_SIZE_T>(-1);
  });
  opj_stream_set_skip_function(stream, [](OPJ_OFF_T count, void *user) {
    streamOf(user).at += count;
    return count;
  });
  opj_stream_set_seek_function(stream, [](OPJ_OFF_T to, void *user) -> OPJ_BOOL {
    streamOf(user).at = to;
    return OPJ_TRUE;
  });
  return {stream, opj_stream_destroy};
}

/// Copies components of at most 8 bits; an image with one component is gray.
static llvm::Expected<Image> fromComponents(const opj_image_t &decoded) {
  uint32_t channels = decoded.numcomps >= 3 ? 3 : 1;
  Image image;
  if (decoded.numcomps < 1) {
    return badImage("JPEG 2000: the image has no component");
  }
  if (llvm::Error error = image.resize(decoded.comps[0].h, decoded.comps[0].w)) {
    return error;
  }
  for (uint32_t c = 0; c < 3; ++c) {
    const opj_image_comp_t &component = decoded.comps[channels == 3 ? c : 0];
    if (component.w != image.width || component.h != image.height || component.prec != 8 ||
        component.sgnd || !component.data) {
      return createUnsupported(
          "not supported: JPEG 2000 unless all components are unsigned, of at most 8 "
          "bits and of equal size");
    }
    for (size_t i = 0; i < image.rgb.size() / 3; ++i) {
      image.rgb[3 * i + c] = static_cast<uint8_t>(std::clamp(component.data[i], 0, 255));
    }
  }
  return image;
}

llvm::Expected<Image> decodeJpeg2000(llvm::ArrayRef<uint8_t> bytes) {
  ByteStream source{bytes};
  auto stream = openJpeg2000(source);
  bool isRaw = bytes[0] == 0xff;
  std::unique_ptr<opj_codec_t, decltype(&opj_destroy_codec)> codec(
      opj_create_decompress(isRaw ? OPJ_CODEC_J2K : OPJ_CODEC_JP2), opj_destroy_codec);
  opj_dparameters_t parameters = {};
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t *decoded = nullptr;
  bool isHeader = opj_setup_decoder(codec.get(), &parameters) &&
                  opj_read_header(stream.get(), codec.get(), &decoded);
  std::unique_ptr<opj_image_t, decltype(&opj_image_destroy)> guard(decoded, opj_image_destroy);
  if (!isHeader || !decoded) {
    return badImage("JPEG 2000: the header is damaged");
  }
  // The size in the header determines how much memory the library allocates.
  if (llvm::Error error =
          checkImageSize(int64_t(decoded->y1) - decoded->y0, int64_t(decoded->x1) - decoded->x0)) {
    return error;
  }
  if (!opj_decode(codec.get(), stream.get(), decoded) ||
      !opj_end_decompress(codec.get(), stream.get())) {
    return badImage("JPEG 2000: the data is damaged or incomplete");
  }
  return fromComponents(*decoded);
}

} // namespace convoy::reference
