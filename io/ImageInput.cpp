// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a file to a tensor: reads, resizes, crops, selects channels, scales and arranges
// the elements.

#include "io/ImageInput.h"
#include "Import/OnnxProto.h"
#include "Import/ShapeHint.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "io/TensorText.h"
#include <cmath>

namespace convoy::io {
namespace {

// The share of the short side that a center crop keeps: 224 of 256 pixels, the usual
// evaluation of ImageNet models.
constexpr double kCropShare = 0.875;

bool isChannelCount(int64_t dim) { return dim == 1 || dim == 3; }

/// Returns the size that covers the box and keeps the aspect ratio, rounded to pixels.
ImageSize cover(const Image &image, double width, double height) {
  double factor = std::max(width / static_cast<double>(image.width),
                           height / static_cast<double>(image.height));
  return {std::llround(static_cast<double>(image.width) * factor),
          std::llround(static_cast<double>(image.height) * factor)};
}

/// Returns the size that --resize requests.
ImageSize resizedSize(const Image &image, ImageSize wanted, const ImageFlags &options) {
  bool isOpen = wanted.width < 0 || wanted.height < 0;
  bool isFitting = image.width == wanted.width && image.height == wanted.height;
  const Resize &resize = options.resize;
  switch (resize.kind) {
  case Resize::Kind::None:
    return {image.width, image.height};
  case Resize::Kind::Exact:
    return {resize.width, resize.height};
  case Resize::Kind::ShortSide:
    return cover(image, static_cast<double>(resize.width), static_cast<double>(resize.width));
  case Resize::Kind::Auto:
    break;
  }
  if (isOpen || isFitting) {
    return {image.width, image.height};
  }
  return options.crop == Crop::None
             ? wanted
             : cover(image, std::floor(static_cast<double>(wanted.width) / kCropShare),
                     std::floor(static_cast<double>(wanted.height) / kCropShare));
}

std::string sizeText(int64_t width, int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

/// Returns one value per channel. The flag has one value for all channels or one value per
/// channel.
llvm::Expected<std::vector<double>> perChannel(llvm::StringRef flag,
                                               const std::vector<double> &given, double otherwise,
                                               int64_t channels) {
  if (given.size() <= 1) {
    return std::vector<double>(channels, given.empty() ? otherwise : given[0]);
  }
  if (static_cast<int64_t>(given.size()) != channels) {
    return fileError(flag + " has " + llvm::Twine(given.size()) + " values, expected 1 or " +
                     llvm::Twine(channels) + ", one per channel");
  }
  return given;
}

struct Normalization {
  std::vector<double> scale, mean, std;
};

llvm::Expected<Normalization> normalization(const ImageFlags &given, ElementType type,
                                            int64_t channels) {
  bool isFraction = given.preprocess != Preprocess::Auto && given.preprocess != Preprocess::Bytes;
  if (isFraction && !isFloat(type)) {
    return fileError("--preprocess gives fractions, and the input has integers; use --preprocess "
                     "bytes, or --scale, --mean and --std");
  }
  if (given.preprocess == Preprocess::Imagenet && channels != 3) {
    return fileError("--preprocess imagenet is about 3 channels, the input has " +
                     llvm::Twine(channels) + "; use --preprocess unit");
  }
  ImageFlags options = withPresetValues(given);
  // Float elements are between 0 and 1. Bytes keep their value. int8 elements are the bytes
  // minus 128.
  double scale = isFloat(type) ? 1.0 / 255 : 1;
  double mean = type == ElementType::I8 ? 128 : 0;
  auto scales = perChannel("--scale", options.scale, scale, channels);
  auto means = perChannel("--mean", options.mean, mean, channels);
  auto stds = perChannel("--std", options.std, 1, channels);
  if (!scales || !means || !stds) {
    return llvm::joinErrors(llvm::joinErrors(scales.takeError(), means.takeError()),
                            stds.takeError());
  }
  if (llvm::is_contained(*stds, 0.0)) {
    return fileError("--std has a value of 0");
  }
  return Normalization{*scales, *means, *stds};
}

/// Selects and orders the channels of the input.
llvm::Expected<Image> chooseChannels(Image image, int64_t channels, Color color) {
  if (color == Color::Gray || (color == Color::Auto && channels == 1)) {
    if (channels == 3) {
      return fileError("--color gray gives 1 channel, the input has 3");
    }
    return toGray(image);
  }
  if (channels == 1) {
    return fileError(llvm::Twine("--color ") + (color == Color::Bgr ? "bgr" : "rgb") +
                     " gives 3 channels, the input has 1; use --color gray");
  }
  if (color == Color::Bgr) {
    for (size_t i = 0; i < image.pixels.size(); i += 3) {
      std::swap(image.pixels[i], image.pixels[i + 2]);
    }
  }
  return image;
}

/// Stores a value in the type of the input. Integers round and saturate.
void store(Tensor &tensor, int64_t i, double value) {
  if (isFloat(tensor.type())) {
    tensor.setDouble(i, value);
    return;
  }
  int64_t bits = bitWidth(tensor.type());
  bool isSigned = isSignedInteger(tensor.type());
  double low = isSigned ? -std::ldexp(1, static_cast<int>(bits) - 1) : 0;
  double high = std::ldexp(1, static_cast<int>(isSigned ? bits - 1 : bits)) - 1;
  tensor.setInt(i, std::llround(std::clamp(value, low, high)));
}

Tensor toTensor(const Image &image, const InputInfo &input, ImageLayout layout,
                const Normalization &normal) {
  Shape shape(*input.shape);
  for (int64_t &dim : shape) {
    dim = dim < 0 ? 1 : dim; // a dynamic batch
  }
  shape[layout.heightDim] = image.height;
  shape[layout.widthDim] = image.width;
  bool isPlanar = layout.channelDim >= 0 && layout.channelDim < layout.heightDim;
  if (layout.channelDim >= 0) {
    shape[layout.channelDim] = image.channels;
  }
  Tensor result(input.type, shape);
  for (int64_t c = 0; c < image.channels; ++c) {
    for (int64_t y = 0; y < image.height; ++y) {
      for (int64_t x = 0; x < image.width; ++x) {
        int64_t at = isPlanar ? (c * image.height + y) * image.width + x
                              : (y * image.width + x) * image.channels + c;
        store(result, at, (image.at(x, y, c) * normal.scale[c] - normal.mean[c]) / normal.std[c]);
      }
    }
  }
  return result;
}

} // namespace

llvm::Expected<ImageLayout> imageLayout(const InputInfo &input, DimOrder order) {
  auto unusable = [&](const llvm::Twine &why) {
    return fileError("input '" + input.name + "' cannot be an image: " + why);
  };
  if (!isFloat(input.type) && !isInteger(input.type)) {
    return unusable("its elements are not numbers");
  }
  if (!input.shape || input.shape->size() < 2 || input.shape->size() > 4) {
    return unusable(
        input.shape
            ? "its shape is " + shapeText(*input.shape) + ", expected 1xCxHxW, 1xHxWxC or less"
            : "its rank is unknown; set its shape with " + import::unrankedShapeFlag(input.name));
  }
  const Shape &shape = *input.shape;
  auto rank = static_cast<int64_t>(shape.size());
  if (rank == 4 && shape[0] > 1) {
    return unusable("it is a batch of " + llvm::Twine(shape[0]) +
                    ", expected 1; set the batch size to 1");
  }
  if (rank == 2) {
    return ImageLayout{-1, 0, 1};
  }
  ImageLayout planar{rank - 3, rank - 2, rank - 1}, interleaved{rank - 1, rank - 3, rank - 2};
  bool canPlanar = isChannelCount(shape[planar.channelDim]);
  bool canInterleaved = isChannelCount(shape[interleaved.channelDim]);
  bool isPlanar = order == DimOrder::Auto ? canPlanar : order == DimOrder::Nchw;
  if (!(isPlanar ? canPlanar : canInterleaved)) {
    return unusable("its shape " + shapeText(shape) + " has no dimension of 1 or 3 channels" +
                    (order == DimOrder::Auto ? ""
                     : isPlanar              ? " where --image-layout nchw expects them"
                                             : " where --image-layout nhwc expects them"));
  }
  return isPlanar ? planar : interleaved;
}

llvm::Expected<Image> fitImage(Image image, ImageSize wanted, const ImageFlags &options) {
  ImageSize size = resizedSize(image, wanted, options);
  if (size.width < 1 || size.height < 1 || size.width * size.height > (int64_t(1) << 28)) {
    return fileError("--resize gives " + sizeText(size.width, size.height) +
                     " pixels; expected 1 to 2^28 in total");
  }
  Image resized = resize(image, size);
  ImageSize last{wanted.width < 0 ? resized.width : wanted.width,
                 wanted.height < 0 ? resized.height : wanted.height};
  bool isLarger = resized.width > last.width || resized.height > last.height;
  if (resized.width < last.width || resized.height < last.height ||
      (isLarger && options.crop == Crop::None)) {
    return fileError("the image has " + sizeText(resized.width, resized.height) +
                     " pixels after --resize " + options.resize.text() + ", the input takes " +
                     sizeText(last.width, last.height) + "; use --resize " +
                     sizeText(last.width, last.height));
  }
  return cropCenter(resized, last);
}

llvm::Expected<Tensor> imageTensor(Image image, llvm::StringRef name, const InputInfo &input,
                                   const ImageFlags &options) {
  llvm::Expected<ImageLayout> layout = imageLayout(input, options.layout);
  if (!layout) {
    return layout.takeError();
  }
  const Shape &shape = *input.shape;
  int64_t channels = layout->channelDim < 0 ? 1 : shape[layout->channelDim];
  llvm::Expected<Image> fitted = chooseChannels(std::move(image), channels, options.color);
  if (fitted) {
    fitted =
        fitImage(std::move(*fitted), {shape[layout->widthDim], shape[layout->heightDim]}, options);
  }
  if (!fitted) {
    return withPrefix("'" + name + "': ", fitted.takeError());
  }
  llvm::Expected<Normalization> normal = normalization(options, input.type, fitted->channels);
  return normal ? llvm::Expected<Tensor>(toTensor(*fitted, input, *layout, *normal))
                : normal.takeError();
}

llvm::Expected<Tensor> readImageInput(llvm::StringRef path, const InputInfo &input,
                                      const ImageFlags &options) {
  // An input that cannot be an image is reported before a file that cannot be read.
  if (llvm::Expected<ImageLayout> layout = imageLayout(input, options.layout); !layout) {
    return layout.takeError();
  }
  llvm::Expected<Image> image = readImage(path);
  return image ? imageTensor(std::move(*image), path, input, options)
               : llvm::Expected<Tensor>(image.takeError());
}

} // namespace convoy::io
