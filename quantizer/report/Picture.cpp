// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodes a picture as an uncompressed BMP in base64, which every browser shows.

#include "quantizer/report/Picture.h"
#include "Driver/TensorConversion.h"
#include "Support/Tensor.h"
#include "io/Image.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace convoy::quantizer {
namespace {

constexpr int64_t kShownPixels = 96;              // of the longer side
constexpr int64_t kMostPixels = int64_t(1) << 14; // of either side

/// Where the elements of a picture are in a tensor.
struct Form {
  int64_t channels = 0, height = 0, width = 0;
  int64_t channelStride = 0, rowStride = 0, columnStride = 0;
};

Form formOf(llvm::ArrayRef<int64_t> shape) {
  while (shape.size() > 3 && shape.front() == 1) {
    shape = shape.drop_front();
  }
  auto isColor = [](int64_t size) { return size == 1 || size == 3; };
  Form form;
  if (shape.size() == 2) {
    form = {1, shape[0], shape[1], 0, shape[1], 1};
  } else if (shape.size() == 3 && isColor(shape[0])) {
    form = {shape[0], shape[1], shape[2], shape[1] * shape[2], shape[2], 1};
  } else if (shape.size() == 3 && isColor(shape[2])) {
    form = {shape[2], shape[0], shape[1], 1, shape[1] * shape[2], shape[2]};
  }
  bool isPicture =
      form.height > 1 && form.width > 1 && form.height <= kMostPixels && form.width <= kMostPixels;
  return isPicture ? form : Form();
}

io::Image imageOf(const Tensor &tensor, const Form &form) {
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    low = std::min(low, tensor.asDouble(i));
    high = std::max(high, tensor.asDouble(i));
  }
  double scale = high > low ? 255 / (high - low) : 0;
  io::Image image{form.width, form.height, 3, {}};
  image.pixels.resize(static_cast<size_t>(form.width * form.height * 3));
  for (int64_t y = 0; y < form.height; ++y) {
    for (int64_t x = 0; x < form.width; ++x) {
      for (int64_t c = 0; c < 3; ++c) {
        int64_t channel = form.channels == 3 ? c : 0;
        int64_t at = channel * form.channelStride + y * form.rowStride + x * form.columnStride;
        double level = (tensor.asDouble(at) - low) * scale;
        image.at(x, y, c) = static_cast<uint8_t>(std::isfinite(level) ? level : 0);
      }
    }
  }
  return image;
}

/// Returns a BMP of 24 bits: rows from the bottom, blue first, rows padded to 4 bytes.
std::string encodeBmp(const io::Image &image) {
  constexpr uint32_t kHeader = 54;
  auto rowBytes = static_cast<uint32_t>((image.width * 3 + 3) / 4 * 4);
  auto bytes = kHeader + rowBytes * static_cast<uint32_t>(image.height);
  std::string file(bytes, '\0');
  auto put = [&](size_t at, uint32_t value) { std::memcpy(&file[at], &value, sizeof(value)); };
  file.replace(0, 2, "BM");
  put(2, bytes);
  put(10, kHeader);
  put(14, 40);
  put(18, static_cast<uint32_t>(image.width));
  put(22, static_cast<uint32_t>(image.height));
  put(26, 1 | 24 << 16); // one plane, 24 bits per pixel
  for (int64_t y = 0; y < image.height; ++y) {
    size_t row = kHeader + static_cast<size_t>(rowBytes) * (image.height - 1 - y);
    for (int64_t x = 0; x < image.width; ++x) {
      for (int64_t c = 0; c < 3; ++c) {
        file[row + static_cast<size_t>(x) * 3 + c] = static_cast<char>(image.at(x, y, 2 - c));
      }
    }
  }
  return file;
}

} // namespace

std::string pictureOf(const TensorData &data) {
  llvm::Expected<Tensor> tensor = driver::toTensor(data);
  if (!tensor) {
    llvm::consumeError(tensor.takeError());
    return "";
  }
  if (tensor->type() == ElementType::String) {
    return "";
  }
  Form form = formOf(tensor->shape());
  if (form.channels == 0) {
    return "";
  }
  io::Image image = imageOf(*tensor, form);
  int64_t longer = std::max(image.width, image.height);
  if (longer > kShownPixels) {
    image = io::resize(image, {std::max<int64_t>(1, image.width * kShownPixels / longer),
                               std::max<int64_t>(1, image.height * kShownPixels / longer)});
  }
  return llvm::formatv("<img alt='' width='{0}' src='data:image/bmp;base64,{1}'/>", kShownPixels,
                       llvm::encodeBase64(encodeBmp(image)))
      .str();
}

} // namespace convoy::quantizer
