// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A form changes the tensor of a sample: it removes the scale, mean and standard deviation of the
// flags, permutes the pixels, and applies another scale, mean and standard deviation. Forms of
// another size read the images again.

#include "quantizer/mistakes/Alternatives.h"
#include "io/ImageInput.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace convoy::quantizer {
namespace {

using Numbers = std::vector<double>;

/// The value of an element is (pixel * scale - mean) / std.
struct Normal {
  Numbers scale, mean, std;

  double at(const Numbers &values, int64_t channel) const {
    return values[values.size() == 1 ? 0 : channel];
  }
  double toPixel(double value, int64_t c) const {
    return (value * at(std, c) + at(mean, c)) / at(scale, c);
  }
  double fromPixel(double pixel, int64_t c) const {
    return (pixel * at(scale, c) - at(mean, c)) / at(std, c);
  }
  bool operator==(const Normal &other) const {
    return scale == other.scale && mean == other.mean && std == other.std;
  }
};

/// How the pixels of a sample are permuted.
enum class Order {
  Same,
  Reversed,    // the channels in reverse
  Planar,      // the bytes of the file are planar, and they were read as interleaved
  Interleaved, // the bytes of the file are interleaved, and they were read as planar
  Transposed,  // rows and columns swapped
};

/// Which values a pixel has.
enum class Wrap { None, ToUnsigned, ToSigned };

/// The form of an input: dimensions and current normalization.
struct InputForm {
  io::ImageLayout layout{};
  int64_t channels = 1, height = 1, width = 1;
  Normal normal;
  bool isImage = false; // the flags about images apply to the samples

  bool isPlanar() const { return layout.channelDim < layout.heightDim; }

  int64_t offsetOf(int64_t c, int64_t y, int64_t x) const {
    return isPlanar() ? (c * height + y) * width + x : (y * width + x) * channels + c;
  }

  /// Returns the element that becomes element (c, y, x).
  int64_t sourceOf(Order order, int64_t c, int64_t y, int64_t x) const {
    int64_t planar = (c * height + y) * width + x, interleaved = (y * width + x) * channels + c;
    switch (order) {
    case Order::Same:
      return offsetOf(c, y, x);
    case Order::Reversed:
      return offsetOf(channels - 1 - c, y, x);
    case Order::Transposed:
      return offsetOf(c, x, y);
    case Order::Planar: // the file's byte `planar` was read as the pixel of an interleaved image
      return offsetOf(planar % channels, planar / channels / width, planar / channels % width);
    case Order::Interleaved:
      return offsetOf(interleaved / width / height, interleaved / width % height,
                      interleaved % width);
    }
    llvm_unreachable("all orders are handled");
  }
};

double wrapped(double pixel, Wrap wrap) {
  if (wrap == Wrap::ToUnsigned) {
    return pixel < 0 ? pixel + 256 : pixel;
  }
  return wrap == Wrap::ToSigned && pixel >= 128 ? pixel - 256 : pixel;
}

/// Returns the function that changes a sample.
std::function<void(TensorData &)> changeTo(const InputForm &form, const Normal &normal,
                                           Order order = Order::Same, Wrap wrap = Wrap::None) {
  return [=](TensorData &tensor) {
    int64_t count = form.channels * form.height * form.width;
    if (tensor.type != ElementType::F32 || elementCountOf(tensor.shape) != count) {
      return;
    }
    const auto *from = static_cast<const float *>(tensor.bytes.get());
    auto to = std::make_shared<std::vector<float>>(count);
    for (int64_t c = 0; c < form.channels; ++c) {
      for (int64_t y = 0; y < form.height; ++y) {
        for (int64_t x = 0; x < form.width; ++x) {
          int64_t source = form.sourceOf(order, c, y, x);
          int64_t channel =
              form.isPlanar() ? source / (form.height * form.width) : source % form.channels;
          double pixel = wrapped(form.normal.toPixel(from[source], channel), wrap);
          (*to)[form.offsetOf(c, y, x)] = static_cast<float>(normal.fromPixel(pixel, c));
        }
      }
    }
    tensor.bytes = std::shared_ptr<const void>(to, to->data());
  };
}

std::string text(const Numbers &values) {
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::interleave(values, os, [&](double value) { os << llvm::format("%g", value); }, ",");
  return result;
}

/// Returns the flags of a normalization.
std::string flagsOf(const Normal &normal) {
  return "--scale " + text(normal.scale) + " --mean " + text(normal.mean) + " --std " +
         text(normal.std);
}

constexpr double kByte = 1.0 / 255;

/// A normalization that many models use.
struct KnownNormal {
  const char *name;
  Normal normal;
};

std::vector<KnownNormal> knownNormals(int64_t channels) {
  std::vector<KnownNormal> known = {{"no mean, 0 to 1", {{kByte}, {0}, {1}}},
                                    {"no mean, 0 to 255", {{1}, {0}, {1}}},
                                    {"-1 to 1", {{kByte}, {0.5}, {0.5}}}};
  if (channels == 3) {
    known.push_back({"the mean and standard deviation of ImageNet",
                     {{kByte}, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}}});
    known.push_back({"the mean and standard deviation of CIFAR-10",
                     {{kByte}, {0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}}});
    known.push_back({"the mean of Caffe's models", {{1}, {103.939, 116.779, 123.68}, {1}}});
  } else {
    known.push_back({"the mean and standard deviation of MNIST", {{kByte}, {0.1307}, {0.3081}}});
  }
  return known;
}

/// Collects the forms for one input.
class Collector {
public:
  Collector(const Model &model, const InputPins &pins, const io::Dataset &data,
            const std::vector<size_t> &samples)
      : model(model), pins(pins), data(data), samples(samples) {}

  std::vector<Alternative> collect() {
    if (!findForm()) {
      return {};
    }
    addRanges();
    addOrders();
    addSigns();
    addNormals();
    addInversion();
    if (form.isImage) {
      addSizes();
    }
    return std::move(list);
  }

private:
  /// Determines the dimensions of the input and whether the samples are images.
  bool findForm() {
    inputs = io::dataInputs(model, pins);
    if (inputs.size() != 1 || inputs[0].type != ElementType::F32 || samples.empty()) {
      return false;
    }
    const io::ImageFlags &image = data.flags().image;
    llvm::Expected<io::ImageLayout> layout = io::imageLayout(inputs[0], image.layout);
    Result<NamedTensors> first = data.read(samples[0]);
    if (!layout || !first || layout->channelDim < 0) {
      llvm::consumeError(layout.takeError());
      return false;
    }
    const std::vector<int64_t> &shape = first->at(inputs[0].name).shape;
    form.layout = *layout;
    form.channels = shape[layout->channelDim];
    form.height = shape[layout->heightDim];
    form.width = shape[layout->widthDim];
    form.isImage = dependsOnFlags(first->at(inputs[0].name));
    auto orElse = [](const Numbers &given, double otherwise) {
      return given.empty() ? Numbers{otherwise} : given;
    };
    form.normal = form.isImage ? Normal{orElse(image.scale, kByte), orElse(image.mean, 0),
                                        orElse(image.std, 1)}
                               : Normal{{1}, {0}, {1}};
    return true;
  }

  /// Opens the data set with other flags about images. Returns null if it cannot be opened.
  std::shared_ptr<const io::Dataset> reopened(const io::ImageFlags &image) const {
    io::DatasetFlags flags = data.flags();
    flags.image = image;
    Problems problems;
    auto other = io::openDataset(flags, model, pins, "--data", problems);
    return other && other->size() == data.size() ? other : nullptr;
  }

  /// Returns whether the flags about images change a sample. They do not change a sample of a file
  /// of tensors.
  bool dependsOnFlags(const TensorData &first) const {
    io::ImageFlags image = data.flags().image;
    image.mean = {(image.mean.empty() ? 0 : image.mean[0]) + 1};
    std::shared_ptr<const io::Dataset> other = reopened(image);
    if (!other) {
      return false;
    }
    Result<NamedTensors> changed = other->read(samples[0]);
    return changed && std::memcmp(changed->at(inputs[0].name).bytes.get(), first.bytes.get(),
                                  elementCountOf(first.shape) * sizeof(float)) != 0;
  }

  void add(MistakeKind kind, const std::string &mistake, const std::string &flags,
           const std::string &forArray, std::function<void(TensorData &)> change) {
    list.push_back({kind, mistake, form.isImage ? flags : forArray, std::move(change), nullptr});
  }

  void addRanges() {
    for (auto [factor, mistake, array] :
         {std::tuple(255.0, "the values are 255 times too small", "multiply the array by 255"),
          {kByte, "the values are 255 times too large", "divide the array by 255"}}) {
      Normal normal = form.normal;
      for (double &scale : normal.scale) {
        scale *= factor;
      }
      bool isUsual = !form.isImage || std::abs(normal.scale[0] - 1) < 1e-6 ||
                     std::abs(normal.scale[0] - kByte) < 1e-9;
      if (isUsual) {
        add(MistakeKind::Range, mistake, "use --scale " + text(normal.scale), array,
            changeTo(form, normal));
      }
    }
  }

  void addOrders() {
    if (form.channels == 3) {
      bool isBgr = data.flags().image.color == io::Color::Bgr;
      add(MistakeKind::ChannelOrder, "the channels are in the wrong order",
          isBgr ? "use --color rgb" : "use --color bgr", "reverse the channels of the array",
          changeTo(form, form.normal, Order::Reversed));
    }
    // Images and interleaved tensors were read as interleaved.
    bool wasInterleaved = form.isImage || !form.isPlanar();
    if (form.channels > 1) {
      add(MistakeKind::Layout,
          wasInterleaved ? "the samples are channels x rows x columns and were read as rows x "
                           "columns x channels"
                         : "the samples are rows x columns x channels and were read as channels x "
                           "rows x columns",
          "transpose the array to rows x columns x channels; a reshape is not enough",
          "transpose the array to the order of the input; a reshape is not enough",
          changeTo(form, form.normal, wasInterleaved ? Order::Planar : Order::Interleaved));
    }
    if (form.height == form.width && form.width > 1) {
      add(MistakeKind::Layout, "rows and columns are swapped", "transpose the images",
          "transpose the rows and columns of the array",
          changeTo(form, form.normal, Order::Transposed));
    }
  }

  /// A mistake of the sign shifts values by 128 or wraps them.
  void addSigns() {
    const char *isSigned = "the values are signed bytes and the model takes unsigned bytes";
    const char *isUnsigned = "the values are unsigned bytes and the model takes signed bytes";
    for (auto [mistake, shift, array] : {std::tuple(isSigned, 128.0, "add 128 to the array"),
                                         {isUnsigned, -128.0, "subtract 128 from the array"}}) {
      Normal normal = form.normal;
      for (size_t c = 0; c < normal.mean.size(); ++c) {
        normal.mean[c] -= shift * normal.at(normal.scale, static_cast<int64_t>(c));
      }
      add(MistakeKind::Signedness, mistake, "use --mean " + text(normal.mean), array,
          changeTo(form, normal));
    }
    add(MistakeKind::Signedness, isSigned, "convert the images to unsigned bytes",
        "convert the array with numpy.uint8 before the conversion to floats",
        changeTo(form, form.normal, Order::Same, Wrap::ToUnsigned));
    add(MistakeKind::Signedness, isUnsigned, "convert the images to signed bytes",
        "convert the array with numpy.int8 before the conversion to floats",
        changeTo(form, form.normal, Order::Same, Wrap::ToSigned));
  }

  /// Returns the value of a pixel of 255 in an array of unknown preparation; 0: unknown.
  double whiteOf() const {
    float low = 0, high = 0;
    for (size_t i = 0; i < std::min<size_t>(samples.size(), 20); ++i) {
      Result<NamedTensors> sample = data.read(samples[i]);
      if (!sample) {
        return 0;
      }
      const TensorData &tensor = sample->at(inputs[0].name);
      llvm::ArrayRef values(static_cast<const float *>(tensor.bytes.get()),
                            elementCountOf(tensor.shape));
      low = std::min(low, *std::min_element(values.begin(), values.end()));
      high = std::max(high, *std::max_element(values.begin(), values.end()));
    }
    return low < 0 || high > 255 ? 0 : high > 1 ? 255 : 1;
  }

  /// Returns the form whose pixels are 0 to 255, if `white` is the value of a pixel of 255.
  InputForm formOfBytes(double white) const {
    InputForm bytes = form;
    for (double &scale : bytes.normal.scale) {
      scale *= white / 255;
    }
    return bytes;
  }

  /// An inverted pixel p is 255 - p.
  void addInversion() {
    double white = form.isImage ? 255 : whiteOf();
    if (white == 0) {
      return;
    }
    InputForm bytes = formOfBytes(white);
    const Normal &now = bytes.normal;
    Normal inverted{{}, {}, now.std};
    for (size_t c = 0; c < std::max(now.scale.size(), now.mean.size()); ++c) {
      double scale = now.at(now.scale, static_cast<int64_t>(c));
      inverted.scale.push_back(-scale);
      inverted.mean.push_back(now.at(now.mean, static_cast<int64_t>(c)) - 255 * scale);
    }
    add(MistakeKind::Inversion, "the images are inverted", "use " + flagsOf(inverted),
        "replace each value x of the array by " + text({white}) + " - x",
        changeTo(bytes, inverted));
  }

  void addNormals() {
    double white = form.isImage ? 255 : whiteOf();
    if (white == 0) {
      return;
    }
    InputForm bytes = formOfBytes(white);
    for (const KnownNormal &known : knownNormals(form.channels)) {
      if (!(known.normal == bytes.normal)) {
        add(MistakeKind::MeanStd,
            std::string("the mean or standard deviation is wrong; the model takes ") + known.name,
            "use " + flagsOf(known.normal),
            "prepare pixels of 0 to 255 as (pixel * scale - mean) / std with " +
                flagsOf(known.normal),
            changeTo(bytes, known.normal));
      }
    }
  }

  void addSizes() {
    const io::ImageFlags &now = data.flags().image;
    std::string size = std::to_string(form.width) + "x" + std::to_string(form.height);
    for (const auto &[resize, crop] : {std::pair(size, io::Crop::None),
                                       {"auto", io::Crop::Center},
                                       {"none", io::Crop::Center}}) {
      io::ImageFlags image = now;
      image.resize = *io::parseResize(resize);
      image.crop = crop;
      std::shared_ptr<const io::Dataset> other = reopened(image);
      // Images that have the size of the input are equal in all forms; the test finds no gain.
      bool isNew = image.resize.text() != now.resize.text() || image.crop != now.crop;
      if (other && isNew && other->read(samples[0])) {
        list.push_back({MistakeKind::Size, "the images have the wrong size or crop",
                        "use --resize " + resize +
                            (crop == io::Crop::None ? " --crop none" : " --crop center"),
                        nullptr, other});
      }
    }
  }

  const Model &model;
  const InputPins &pins;
  const io::Dataset &data;
  const std::vector<size_t> &samples;
  std::vector<io::InputInfo> inputs;
  InputForm form;
  std::vector<Alternative> list;
};

} // namespace

std::vector<Alternative> alternativesOf(const Model &model, const InputPins &pins,
                                        const io::Dataset &data,
                                        const std::vector<size_t> &samples) {
  return Collector(model, pins, data, samples).collect();
}

Result<NamedTensors> AlteredData::read(size_t index) const {
  const Alternative *form = forms[index / samples.size()];
  const io::Dataset &source = form && form->source ? *form->source : data;
  Result<NamedTensors> sample = source.read(sampleOf(index));
  if (sample && form && form->change) {
    for (auto &[name, tensor] : *sample) {
      form->change(tensor);
    }
  }
  return sample;
}

} // namespace convoy::quantizer
