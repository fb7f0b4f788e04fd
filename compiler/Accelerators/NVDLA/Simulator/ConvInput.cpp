// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CDMA: reads features or pixels from memory, applies the input converter and writes them to a
// padded plane. Padding is not converted.

#include "Accelerators/NVDLA/Simulator/ConvData.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Support/TypedError.h"

namespace convoy::nvdla {
namespace {

/// Bytes per sample, and the positions in a pixel of the channels R/Y, G/U, B/V, A/X, counted in
/// samples.
struct PixelLayout {
  uint32_t format, sampleBytes, samples;
  bool isFloat;
  std::array<uint8_t, 4> order;
};

constexpr PixelLayout kPixelLayouts[] = {
    {0, 1, 1, false, {0}},           // R8
    {3, 2, 1, false, {0}},           // R16
    {4, 2, 1, false, {0}},           // R16_I
    {5, 2, 1, true, {0}},            // R16_F
    {6, 2, 4, false, {0, 1, 2, 3}},  // A16B16G16R16
    {7, 2, 4, false, {0, 1, 2, 3}},  // X16B16G16R16
    {8, 2, 4, true, {0, 1, 2, 3}},   // A16B16G16R16_F
    {9, 2, 4, false, {2, 1, 0, 3}},  // A16Y16U16V16
    {10, 2, 4, false, {1, 2, 3, 0}}, // V16U16Y16A16
    {11, 2, 4, true, {2, 1, 0, 3}},  // A16Y16U16V16_F
    {12, 1, 4, false, {0, 1, 2, 3}}, // A8B8G8R8
    {13, 1, 4, false, {2, 1, 0, 3}}, // A8R8G8B8
    {14, 1, 4, false, {1, 2, 3, 0}}, // B8G8R8A8
    {15, 1, 4, false, {3, 2, 1, 0}}, // R8G8B8A8
    {16, 1, 4, false, {0, 1, 2, 3}}, // X8B8G8R8
    {17, 1, 4, false, {2, 1, 0, 3}}, // X8R8G8B8
    {18, 1, 4, false, {1, 2, 3, 0}}, // B8G8R8X8
    {19, 1, 4, false, {3, 2, 1, 0}}, // R8G8B8X8
    {26, 1, 4, false, {2, 1, 0, 3}}, // A8Y8U8V8
    {27, 1, 4, false, {1, 2, 3, 0}}, // V8U8Y8A8
};

const PixelLayout *findPixelLayout(uint32_t format) {
  for (const PixelLayout &layout : kPixelLayouts) {
    if (layout.format == format) {
      return &layout;
    }
  }
  return nullptr;
}

/// A sample of a pixel or feature, either an integer or a float.
struct Sample {
  int32_t whole = 0;
  float real = 0;
  bool isFloat = false;
};

Sample readSample(const PixelLayout &layout, const uint8_t *pixel, uint32_t channel,
                  bool isSigned) {
  const uint8_t *at = pixel + layout.order[channel] * layout.sampleBytes;
  if (layout.sampleBytes == 1) {
    return {isSigned ? int8_t(*at) : *at};
  }
  uint16_t bits = uint16_t(at[0] | at[1] << 8);
  if (layout.isFloat) {
    return {0, halfToFloat(bits), true};
  }
  return {isSigned ? int16_t(bits) : bits};
}

template <typename T>
T padding(const ConvJob &job) {
  if constexpr (std::is_same_v<T, float>) {
    return halfToFloat(uint16_t(job.padValue));
  } else {
    return T(signExtend(uint32_t(job.padValue), bitsPerElement(job.precision)));
  }
}

template <typename T>
T toOperand(const ConvJob &job, uint32_t channel, Sample sample) {
  if (sample.isFloat) {
    return T(sample.real); // checkConv rejects float data for integer arithmetic
  }
  return T(convertInput(job, channel, sample.whole));
}

llvm::Error checkPixels(const ConvJob &job) {
  const PixelLayout *layout = findPixelLayout(job.pixelFormat);
  if (!layout) {
    return createUnsupported(
        "pixel format %u is not supported; formats of one plane with 8- or 16-bit "
        "samples are",
        job.pixelFormat);
  }
  if (job.input.channels > layout->samples || job.kernel.width != 1 ||
      job.kernel.channels % job.input.channels != 0) {
    return llvm::createStringError(
        "an image of %u channels in pixels of %u samples expects kernels "
        "of width 1 with a multiple of the channels, got %u x %u",
        job.input.channels, layout->samples, job.kernel.width, job.kernel.channels);
  }
  if (layout->isFloat && job.precision != Precision::Fp16) {
    return createUnsupported("float pixels are not supported for integer convolutions");
  }
  return llvm::Error::success();
}

/// Returns the place of input pixel (y, x) in the plane, or null if no kernel reads it.
template <typename T>
T *place(ConvInput<T> &plane, const ConvJob &job, uint32_t y, uint32_t x) {
  uint64_t row = uint64_t(y) + job.padTop, column = uint64_t(x) + job.padLeft;
  return row < plane.height && column < plane.width
             ? &plane.values[(row * plane.width + column) * plane.channels]
             : nullptr;
}

template <typename T>
void fetchPixels(const ConvJob &job, const Machine &machine, ConvInput<T> &plane) {
  const PixelLayout &layout = *findPixelLayout(job.pixelFormat);
  uint32_t pixelBytes = layout.sampleBytes * layout.samples;
  std::vector<uint8_t> line(size_t(job.input.width) * pixelBytes);
  for (uint32_t y = 0; y < job.input.height; ++y) {
    machine.memory.read(job.source.port,
                        job.source.address + y * job.source.lineStride +
                            uint64_t(job.pixelXOffset) * pixelBytes,
                        line);
    for (uint32_t x = 0; x < job.input.width; ++x) {
      T *target = place(plane, job, y, x);
      for (uint32_t c = 0; target && c < job.input.channels; ++c) {
        Sample sample = readSample(layout, &line[size_t(x) * pixelBytes], c, job.isPixelSigned);
        target[c] = toOperand<T>(job, c, sample);
      }
    }
  }
}

template <typename T>
llvm::Error fetchFeatures(const ConvJob &job, const Machine &machine, ConvInput<T> &plane) {
  llvm::Expected<Stream> cube = readCube(job.source, job.input, job.inPrecision, machine);
  if (!cube) {
    return cube.takeError();
  }
  for (uint32_t y = 0; y < job.input.height; ++y) {
    for (uint32_t x = 0; x < job.input.width; ++x) {
      T *target = place(plane, job, y, x);
      size_t at = (size_t(y) * job.input.width + x) * cube->paddedChannels;
      for (uint32_t c = 0; target && c < plane.channels; ++c) {
        Sample sample =
            cube->isFloat ? Sample{0, cube->floats[at + c], true} : Sample{cube->ints[at + c]};
        target[c] = toOperand<T>(job, c, sample);
      }
    }
  }
  return llvm::Error::success();
}

llvm::Error checkLimits(const ConvJob &job) {
  struct Limit {
    const char *what;
    uint32_t value, low, high;
  };
  for (const Limit &limit : {Limit{"kernel width", job.kernel.width, 1, 32},
                             {"kernel height", job.kernel.height, 1, 32},
                             {"kernel channels", job.kernel.channels, 1, 8192},
                             {"kernels", job.kernels, 1, 8192},
                             {"output width", job.outWidth, 1, 8192},
                             {"output height", job.outHeight, 1, 8192},
                             {"input channels", job.input.channels, 1, 8192},
                             {"stride in x", job.strideX, 1, 8},
                             {"stride in y", job.strideY, 1, 8},
                             {"dilation in x", job.dilationX, 1, 32},
                             {"dilation in y", job.dilationY, 1, 32},
                             {"padding on the left", job.padLeft, 0, 31},
                             {"padding on top", job.padTop, 0, 31}}) {
    if (limit.value < limit.low || limit.value > limit.high) {
      return llvm::createStringError("the %s of a convolution is %u; expects %u to %u", limit.what,
                                     limit.value, limit.low, limit.high);
    }
  }
  return llvm::Error::success();
}

} // namespace

/// Checks that channels come in atoms of 32 bytes, outputs in tiles, and weights in 4 x 4.
static llvm::Error checkWinograd(const ConvJob &job, const HardwareConfig &config) {
  if (!config.hasWideTypes || job.precision == Precision::Int8) {
    return createUnsupported("not supported by the simulator: Winograd convolutions other than "
                             "16-bit ones on nv_full");
  }
  constexpr uint32_t kLanes = 16;
  bool isPlain = job.strideX == 1 && job.strideY == 1 && job.dilationX == 1 && job.dilationY == 1 &&
                 !job.isImage && job.postExtension == 1;
  bool isWhole = job.kernel.width == 4 && job.kernel.height == 4 && job.outWidth % 4 == 0 &&
                 job.outHeight % 4 == 0 && job.kernel.channels % kLanes == 0 &&
                 (job.input.channels + kLanes - 1) / kLanes * kLanes == job.kernel.channels;
  if (!isPlain || !isWhole) {
    return llvm::createStringError(
        "a Winograd convolution of %u channels with kernels of %u x %u x %u gives %u x %u outputs: "
        "expects kernels of 4 x 4 with a multiple of 16 channels, outputs in tiles of 4 x 4, and "
        "no strides, dilation or images",
        job.input.channels, job.kernel.width, job.kernel.height, job.kernel.channels, job.outWidth,
        job.outHeight);
  }
  return llvm::Error::success();
}

llvm::Error checkConv(const ConvJob &job, const HardwareConfig &config) {
  if (job.isWeightCompressed || job.batch != 1) {
    return createUnsupported("not supported by the simulator: compressed weights and "
                             "batches");
  }
  if (llvm::Error error = checkLimits(job)) {
    return error;
  }
  if (job.isWinograd) {
    if (llvm::Error error = checkWinograd(job, config)) {
      return error;
    }
  } else if (job.isImage) {
    if (llvm::Error error = checkPixels(job)) {
      return error;
    }
  } else if (job.kernel.channels != job.input.channels) {
    return llvm::createStringError(
        "a convolution with %u input channels has kernels with %u channels", job.input.channels,
        job.kernel.channels);
  }
  if (job.postExtension != 1 &&
      (!job.isImage || job.kernel.channels * job.postExtension > config.macChannels)) {
    return llvm::createStringError(
        "a post-extension of %u rows of %u channels is supported only for images with "
        "at most %u channels",
        job.postExtension, job.kernel.channels, config.macChannels);
  }
  // About a minute of simulation; real layers have about a hundredth of it.
  constexpr uint64_t kMaxProducts = uint64_t(1) << 37;
  if (Wide(job.kernel.width) * job.kernel.height * job.kernel.channels * job.kernels *
          job.outWidth * job.outHeight >
      Wide(kMaxProducts)) {
    return createUnsupported("not supported by the simulator: convolutions of more than 2^37 "
                             "products");
  }
  bool isFloat = job.precision == Precision::Fp16, isFloatIn = job.inPrecision == Precision::Fp16;
  if (isFloatIn && (!isFloat || (job.converter.isEnabled &&
                                 (job.converter.scale != 1 || job.converter.offset != 0 ||
                                  job.converter.shift != 0 || job.hasMeans)))) {
    return createUnsupported("not supported by the simulator: an input converter that changes fp16 "
                             "data, and fp16 data for integers");
  }
  return llvm::Error::success();
}

int32_t convertInput(const ConvJob &job, uint32_t channel, int32_t value) {
  if (!job.converter.isEnabled) {
    return value;
  }
  // With means, the mean of the channel replaces the offset.
  int32_t offset = job.isImage && job.hasMeans ? job.means[channel] : job.converter.offset;
  int64_t wide =
      saturate(convertValue(value, offset, job.converter.scale, int(job.converter.shift)), 17);
  return int32_t(job.precision == Precision::Fp16 ? wide
                                                  : saturate(wide, bitsPerElement(job.precision)));
}

template <typename T>
llvm::Expected<ConvInput<T>> fetchInput(const ConvJob &job, const Machine &machine) {
  ConvInput<T> plane;
  plane.width = (job.outWidth - 1) * job.strideX + (kernelPixels(job) - 1) * job.dilationX + 1;
  plane.height = (job.outHeight - 1) * job.strideY + (job.kernel.height - 1) * job.dilationY + 1;
  plane.channels = job.input.channels;
  uint64_t count = uint64_t(plane.width) * plane.height * plane.channels;
  if (count > uint64_t(1) << 28) {
    return createUnsupported(
        "a convolution over %u x %u x %u values is not supported; at most 2^28 "
        "are",
        plane.width, plane.height, plane.channels);
  }
  plane.values.assign(count, padding<T>(job));
  if (job.isImage) {
    fetchPixels(job, machine, plane);
  } else if (llvm::Error error = fetchFeatures(job, machine, plane)) {
    return error;
  }
  return plane;
}

template llvm::Expected<ConvInput<int16_t>> fetchInput(const ConvJob &, const Machine &);
template llvm::Expected<ConvInput<float>> fetchInput(const ConvJob &, const Machine &);

} // namespace convoy::nvdla
