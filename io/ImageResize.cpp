// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Antialiased bilinear resize. Each output sample is a weighted sum of input
// samples under a triangle whose half width is one input pixel when enlarging,
// and one output pixel when shrinking:
//
//      weight      /\            out sample at center c = (i + 0.5) * scale
//                 /  \           in samples at k + 0.5, |k + 0.5 - c| < support
//      in ...|...|...|...|...    support = max(scale, 1)
//
// The filter processes rows first, then columns, with 8-bit samples between the two steps.
// Weights have 22 fraction bits. These three choices make the bytes equal to Pillow's.

#include "io/Image.h"
#include <algorithm>
#include <cmath>

namespace convoy::io {
namespace {

// An 8-bit sample times a weight. Two more bits hold a sum of weights slightly above 1.
constexpr int kWeightBits = 32 - 8 - 2;

/// The weights of the input samples, starting at sample `first`.
struct Tap {
  int64_t first;
  std::vector<int32_t> weights;
};

std::vector<Tap> taps(int64_t inSize, int64_t outSize) {
  double scale = static_cast<double>(inSize) / static_cast<double>(outSize);
  double support = std::max(scale, 1.0);
  std::vector<Tap> result;
  for (int64_t i = 0; i < outSize; ++i) {
    double center = (static_cast<double>(i) + 0.5) * scale;
    int64_t first = std::max<int64_t>(static_cast<int64_t>(std::floor(center - support + 0.5)), 0);
    int64_t end =
        std::min<int64_t>(static_cast<int64_t>(std::floor(center + support + 0.5)), inSize);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t k = first; k < end; ++k) {
      double distance = std::abs((static_cast<double>(k) - center + 0.5) * (1.0 / support));
      weights.push_back(std::max(1.0 - distance, 0.0));
      sum += weights.back();
    }
    Tap tap{first, {}};
    for (double weight : weights) {
      tap.weights.push_back(
          static_cast<int32_t>(std::floor(0.5 + weight / sum * (1 << kWeightBits))));
    }
    result.push_back(std::move(tap));
  }
  return result;
}

/// Returns the weighted sum of samples that are `stride` bytes apart, rounded to 8 bits.
uint8_t sample(const uint8_t *first, int64_t stride, const Tap &tap) {
  int32_t sum = 1 << (kWeightBits - 1);
  for (size_t k = 0; k < tap.weights.size(); ++k) {
    sum += first[static_cast<int64_t>(k) * stride] * tap.weights[k];
  }
  return static_cast<uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

Image resizeWidth(const Image &image, int64_t width) {
  Image result{width, image.height, image.channels, {}};
  result.pixels.resize(width * image.height * image.channels);
  std::vector<Tap> columns = taps(image.width, width);
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int64_t c = 0; c < image.channels; ++c) {
        const uint8_t *first =
            &image.pixels[(y * image.width + columns[x].first) * image.channels + c];
        result.at(x, y, c) = sample(first, image.channels, columns[x]);
      }
    }
  }
  return result;
}

Image resizeHeight(const Image &image, int64_t height) {
  Image result{image.width, height, image.channels, {}};
  int64_t rowSamples = image.width * image.channels;
  result.pixels.resize(height * rowSamples);
  std::vector<Tap> rows = taps(image.height, height);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t i = 0; i < rowSamples; ++i) {
      result.pixels[y * rowSamples + i] =
          sample(&image.pixels[rows[y].first * rowSamples + i], rowSamples, rows[y]);
    }
  }
  return result;
}

} // namespace

Image resize(const Image &image, ImageSize size) {
  Image result = size.width == image.width ? image : resizeWidth(image, size.width);
  return size.height == image.height ? result : resizeHeight(result, size.height);
}

} // namespace convoy::io
