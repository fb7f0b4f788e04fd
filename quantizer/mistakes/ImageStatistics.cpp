// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two figures of the rows and columns of an image:
//
//     roughness   sum of squared differences of neighbors / sum of squared deviations from the
//     mean sharpness   sum of squared second differences / sum of squared differences of neighbors
//
// Measured on CIFAR-10: the roughness is 0.2 and becomes 0.7 or more if planar bytes are read as
// interleaved bytes. The sharpness is 1.4 to 1.8 for CIFAR-10, MNIST and photographs, and below 0.6
// for images that a bilinear filter enlarged 2 to 7 times.

#include "quantizer/mistakes/ImageStatistics.h"
#include "io/ImageInput.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

namespace convoy::quantizer {
namespace {

constexpr size_t kSamples = 50;
constexpr double kLeastRatio = 2;       // of the roughness in two layouts
constexpr double kLeastSharpness = 0.8; // of images that were not enlarged

/// Sums over all lines of pixels, in both directions.
struct LineSums {
  double first = 0, second = 0, deviation = 0;

  /// Adds a line of `count` pixels.
  void add(const float *pixels, int64_t count, int64_t stride) {
    double mean = 0;
    for (int64_t i = 0; i < count; ++i) {
      mean += pixels[i * stride] / static_cast<double>(count);
    }
    for (int64_t i = 0; i < count; ++i) {
      double here = pixels[i * stride];
      deviation += (here - mean) * (here - mean);
      if (i > 0) {
        double left = pixels[(i - 1) * stride];
        first += (here - left) * (here - left);
        if (i + 1 < count) {
          double right = pixels[(i + 1) * stride], bend = left - 2 * here + right;
          second += bend * bend;
        }
      }
    }
  }

  double roughness() const { return deviation > 0 ? first / deviation : 0; }
  double sharpness() const { return first > 0 ? second / first : INFINITY; }
};

/// Adds all lines of a sample.
void addImage(const TensorData &tensor, const io::ImageLayout &layout, LineSums &sums) {
  const std::vector<int64_t> &shape = tensor.shape;
  int64_t channels = shape[layout.channelDim], height = shape[layout.heightDim],
          width = shape[layout.widthDim];
  bool isPlanar = layout.channelDim < layout.heightDim;
  int64_t step = isPlanar ? 1 : channels, plane = isPlanar ? height * width : 1;
  const auto *pixels = static_cast<const float *>(tensor.bytes.get());
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t y = 0; y < height; ++y) {
      sums.add(pixels + c * plane + y * width * step, width, step);
    }
    for (int64_t x = 0; x < width; ++x) {
      sums.add(pixels + c * plane + x * step, height, width * step);
    }
  }
}

/// Measures one form of the samples. Samples that cannot be read are left to the caller.
LineSums measure(const io::Dataset &data, const std::vector<size_t> &samples,
                 const Alternative *form, const io::ImageLayout &layout) {
  LineSums sums;
  AlteredData altered(data, samples, {form});
  for (size_t i = 0; i < altered.size(); ++i) {
    if (Result<NamedTensors> sample = altered.read(i)) {
      addImage(sample->begin()->second, layout, sums);
    }
  }
  return sums;
}

} // namespace

std::vector<Mistake> findImageMistakes(const Model &model, const InputPins &pins,
                                       const io::Dataset &data, const std::vector<size_t> &samples,
                                       const std::vector<Alternative> &forms) {
  std::vector<io::InputInfo> inputs = io::dataInputs(model, pins);
  if (forms.empty() || inputs.size() != 1) {
    return {}; // the input is no image
  }
  llvm::Expected<io::ImageLayout> layout = io::imageLayout(inputs[0], data.flags().image.layout);
  if (!layout) {
    llvm::consumeError(layout.takeError());
    return {};
  }
  std::vector<size_t> chosen(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(std::min(
                                                                    samples.size(), kSamples)));
  LineSums given = measure(data, chosen, nullptr, *layout);
  std::vector<Mistake> mistakes;
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Alternative &form : forms) {
    if (form.kind != MistakeKind::Layout || !mistakes.empty()) {
      continue;
    }
    double other = measure(data, chosen, &form, *layout).roughness();
    if (other * kLeastRatio < given.roughness()) {
      os << form.mistake << ": neighboring pixels of " << chosen.size() << " samples differ by "
         << llvm::format("%.2g of their variance as given and %.2g with the remedy; ",
                         given.roughness(), other)
         << form.remedy;
      mistakes.push_back({MistakeKind::Layout, Severity::Warning, os.str()});
    }
  }
  if (mistakes.empty() && given.sharpness() < kLeastSharpness) {
    os << "the images seem to be enlarged: the sharpness of " << chosen.size() << " samples is "
       << llvm::format("%.2g, expected 1.4 or more", given.sharpness())
       << "; use images that are at least as large as the input";
    mistakes.push_back({MistakeKind::Size, Severity::Note, os.str()});
  }
  return mistakes;
}

} // namespace convoy::quantizer
