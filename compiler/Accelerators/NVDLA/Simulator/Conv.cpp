// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CSC, CMAC and CACC: sums of products in full width, saturated to the type that SDP reads. Integer
// sums are independent of the order. fp16 sums use double, which is wider than the hardware.

#include "Accelerators/NVDLA/Simulator/ConvData.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Accelerators/NVDLA/Simulator/Winograd.h"

namespace convoy::nvdla {
namespace {

int64_t dotInt8(const int16_t *a, const int16_t *b, size_t count) {
  // The compiler turns the loop into multiply-add instructions of 32 bits; 2^16 products of 2^14
  // fit.
  constexpr size_t kChunk = 1 << 16;
  int64_t total = 0;
  for (size_t begin = 0; begin < count; begin += kChunk) {
    int32_t sum = 0;
    for (size_t i = begin, end = std::min(count, begin + kChunk); i < end; ++i) {
      sum += int32_t(a[i]) * b[i];
    }
    total += sum;
  }
  return total;
}

int64_t dotInt16(const int16_t *a, const int16_t *b, size_t count) {
  int64_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    total += int32_t(a[i]) * b[i];
  }
  return total;
}

/// Uses four independent sums, so that an addition does not wait for the previous one.
double dotFloat(const float *a, const float *b, size_t count) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t j = 0; j < 4; ++j) {
      sums[j] += double(a[i + j]) * b[i + j];
    }
  }
  for (; i < count; ++i) {
    sums[0] += double(a[i]) * b[i];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Calls store(index of the output, sum) for every output pixel and kernel.
template <typename T, typename Sum, typename Store>
void multiply(const ConvJob &job, const ConvInput<T> &input, const std::vector<T> &weights,
              uint32_t paddedKernels, Sum (*dot)(const T *, const T *, size_t), Store store) {
  uint32_t columns = kernelPixels(job), channels = input.channels;
  size_t rowElements = size_t(columns) * channels;
  // Without dilation a kernel row corresponds to one contiguous run of the input.
  size_t run = job.dilationX == 1 ? rowElements : channels;
  size_t runStep = size_t(job.dilationX) * channels;
  for (uint32_t y = 0; y < job.outHeight; ++y) {
    for (uint32_t k = 0; k < job.kernels; ++k) {
      for (uint32_t x = 0; x < job.outWidth; ++x) {
        Sum sum = 0;
        for (uint32_t r = 0; r < job.kernel.height; ++r) {
          size_t row = size_t(y) * job.strideY + size_t(r) * job.dilationY;
          const T *in = &input.values[(row * input.width + size_t(x) * job.strideX) * channels];
          const T *weight = &weights[(size_t(k) * job.kernel.height + r) * rowElements];
          for (size_t done = 0, at = 0; done < rowElements; done += run, at += runStep) {
            sum += dot(in + at, weight + done, run);
          }
        }
        store((size_t(y) * job.outWidth + x) * paddedKernels + k, sum);
      }
    }
  }
}

/// Transforms the tiles of output rows y and y + 1: [tile][row, column][channel].
template <typename T>
void transformRow(const ConvJob &job, const ConvInput<T> &input, uint32_t y, std::vector<T> &data) {
  for (uint32_t tile = 0; tile < job.outWidth / 2; ++tile) {
    for (uint32_t c = 0; c < input.channels; ++c) {
      T in[kTile], out[kTile];
      for (uint32_t i = 0; i < kTile; ++i) {
        size_t pixel = size_t(y + i / 4) * input.width + size_t(2) * tile + i % 4;
        in[i] = input.values[pixel * input.channels + c];
      }
      if constexpr (std::is_same_v<T, float>) {
        preAdd(in, out);
      } else {
        preAdd(in, job.praTruncate, bitsPerElement(job.precision), out);
      }
      for (uint32_t i = 0; i < kTile; ++i) {
        data[(size_t(tile) * kTile + i) * input.channels + c] = out[i];
      }
    }
  }
}

/// Computes the same as multiply() with Winograd: 16 products for 4 outputs instead of 36.
template <typename T, typename Sum, typename Store>
void multiplyTiles(const ConvJob &job, const ConvInput<T> &input, const std::vector<T> &weights,
                   uint32_t paddedKernels, Sum (*dot)(const T *, const T *, size_t), Store store) {
  uint32_t tiles = job.outWidth / 2, channels = input.channels;
  std::vector<T> data(size_t(tiles) * kTile * channels);
  for (uint32_t y = 0; y < job.outHeight; y += 2) {
    transformRow(job, input, y, data);
    for (uint32_t k = 0; k < job.kernels; ++k) {
      for (uint32_t tile = 0; tile < tiles; ++tile) {
        Sum sums[kTile], out[4];
        for (uint32_t i = 0; i < kTile; ++i) {
          sums[i] = dot(&data[(size_t(tile) * kTile + i) * channels],
                        &weights[(size_t(k) * kTile + i) * job.kernel.channels], channels);
        }
        postAdd(sums, out);
        for (uint32_t i = 0; i < 4; ++i) {
          size_t pixel = size_t(y + i / 2) * job.outWidth + size_t(2) * tile + i % 2;
          store(pixel * paddedKernels + k, out[i]);
        }
      }
    }
  }
}

template <typename T, typename Sum, typename Store>
llvm::Error convolve(const ConvJob &job, const Machine &machine, uint32_t paddedKernels,
                     Sum (*dot)(const T *, const T *, size_t), Store store) {
  llvm::Expected<ConvInput<T>> input = fetchInput<T>(job, machine);
  if (!input) {
    return input.takeError();
  }
  std::vector<T> weights = fetchWeights<T>(job, machine);
  if (job.isWinograd) {
    multiplyTiles(job, *input, weights, paddedKernels, dot, store);
  } else {
    multiply(job, *input, weights, paddedKernels, dot, store);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Stream> runConv(const ConvJob &job, const Machine &machine) {
  if (llvm::Error error = checkConv(job, machine.config)) {
    return error;
  }
  bool isFloat = job.precision == Precision::Fp16;
  llvm::Expected<Stream> out =
      makeStream({job.outWidth, job.outHeight, job.kernels}, isFloat, machine.config);
  if (!out) {
    return out.takeError();
  }
  uint32_t padded = out->paddedChannels;
  llvm::Error error = llvm::Error::success();
  if (isFloat) {
    error = convolve<float, double>(job, machine, padded, dotFloat,
                                    [&](size_t i, double sum) { out->floats[i] = float(sum); });
  } else {
    bool isInt8 = job.precision == Precision::Int8;
    unsigned accumulatorBits = isInt8 ? 34 : 48;
    error = convolve<int16_t, int64_t>(
        job, machine, padded, isInt8 ? dotInt8 : dotInt16, [&](size_t i, int64_t sum) {
          int64_t kept = saturate(sum, accumulatorBits);
          out->ints[i] = int32_t(saturate(roundShift(kept, int(job.clipTruncate)), 32));
        });
  }
  if (error) {
    return error;
  }
  return out;
}

} // namespace convoy::nvdla
