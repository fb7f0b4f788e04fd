// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs weights in the order in which CONV reads them (docs/targets/nvdla.md, "Register fields and
// buffers"). The last group of kernels and the last block of channels are short, not padded.
// Winograd weights are G g G^T, rounded once; G has the rows (1 0 0), (1 1 1) / 2, (1 -1 1) / 2 and
// (0 0 1).

#include "Accelerators/NVDLA/Compile/PackWeights.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/Winograd.h"
#include "llvm/Support/MathExtras.h"
#include <array>

namespace convoy::nvdla {

uint32_t ConstantRegion::add(std::vector<uint8_t> bytes, uint32_t alignment) {
  auto found = known.find(bytes);
  if (found != known.end() && found->second % alignment == 0) {
    return found->second;
  }
  all.resize(llvm::alignTo(all.size(), alignment));
  auto offset = uint32_t(all.size());
  all.insert(all.end(), bytes.begin(), bytes.end());
  known[std::move(bytes)] = offset;
  return offset;
}

std::vector<uint8_t> packWeights(const ConvShape &shape, const ConvPart &part,
                                 const HardwareConfig &config, WeightAt weightAt) {
  bool isByte = bytesPerElement(shape.precision) == 1;
  int64_t group = config.macKernels / bytesPerElement(shape.precision);
  int64_t block = config.macChannels;
  int64_t taps = shape.kernelHeight * shape.kernelWidth;
  std::vector<uint8_t> packed;
  packed.reserve(weightBytes(shape, part));
  for (int64_t k0 = 0; k0 < part.kernels; k0 += group) {
    for (int64_t c0 = 0; c0 < part.channels; c0 += block) {
      for (int64_t step = 0; step < taps; step += shape.mergedRows) {
        for (int64_t k = k0; k < std::min(k0 + group, part.kernels); ++k) {
          for (int64_t tap = step; tap < std::min(step + shape.mergedRows, taps); ++tap) {
            for (int64_t c = c0; c < std::min(c0 + block, part.channels); ++c) {
              uint16_t bits = weightAt(part.firstKernel + k, part.firstChannel + c,
                                       tap / shape.kernelWidth, tap % shape.kernelWidth);
              packed.push_back(uint8_t(bits));
              if (!isByte) {
                packed.push_back(uint8_t(bits >> 8));
              }
            }
          }
        }
      }
    }
  }
  return packed;
}

static uint16_t bitsAt(const Tensor &weight, int64_t at) {
  const auto *bytes = weight.data<uint8_t>();
  return storageBytes(weight.type()) == 1 ? bytes[at]
                                          : uint16_t(bytes[2 * at] | bytes[2 * at + 1] << 8);
}

/// Packs the weights of an image convolution. The columns and samples of a kernel row are its
/// channels; samples that the tensor does not have get zero weights.
static std::vector<uint8_t> packImageWeights(const ConvShape &shape, const ConvPart &part,
                                             const HardwareConfig &config, const Tensor &weight) {
  ConvShape merged = shape;
  merged.kernelWidth = 1;
  ConvPart row = part;
  row.channels = shape.kernelWidth * shape.samples;
  return packWeights(merged, row, config,
                     [&](int64_t k, int64_t c, int64_t y, int64_t) -> uint16_t {
                       int64_t channel = c % shape.samples;
                       if (channel >= shape.groupInputs) {
                         return 0;
                       }
                       int64_t at = (k * shape.groupInputs + channel) * shape.kernelHeight + y;
                       return bitsAt(weight, at * shape.kernelWidth + c / shape.samples);
                     });
}

/// Transforms one channel of a kernel to its 4 x 4 form.
static void transformKernel(const std::array<double, 9> &kernel, double *out) {
  auto combine = [](const double *from, size_t step, double *to, size_t toStep) {
    double ends = from[0] + from[2 * step];
    to[0] = from[0];
    to[toStep] = (ends + from[step]) / 2;
    to[2 * toStep] = (ends - from[step]) / 2;
    to[3 * toStep] = from[2 * step];
  };
  double columns[12]; // four rows of three
  for (size_t x = 0; x < 3; ++x) {
    combine(&kernel[x], 3, columns + x, 3);
  }
  for (size_t y = 0; y < 4; ++y) {
    combine(columns + 3 * y, 1, out + 4 * y, 1);
  }
}

/// Packs by groups of kernels, blocks of four channels, kernels, rows, columns, channels.
static std::vector<uint8_t> packTiles(const ConvShape &shape, const ConvPart &part,
                                      const HardwareConfig &config, WeightAt weightAt) {
  int64_t group = config.macKernels / bytesPerElement(shape.precision);
  std::vector<uint8_t> packed(weightBytes(shape, part));
  auto *next = packed.data();
  for (int64_t k0 = 0; k0 < part.kernels; k0 += group) {
    for (int64_t c0 = 0; c0 < kernelOf(shape, part).channels; c0 += kTileChannels) {
      for (int64_t k = k0; k < std::min(k0 + group, part.kernels);
           ++k, next += 2L * kTile * kTileChannels) {
        for (int64_t c = c0; c < std::min<int64_t>(c0 + kTileChannels, part.channels); ++c) {
          std::array<double, 9> kernel;
          for (int64_t i = 0; i < 9; ++i) {
            kernel[i] = halfToFloat(weightAt(k, c, i / 3, i % 3));
          }
          double tile[kTile];
          transformKernel(kernel, tile);
          for (int64_t i = 0; i < kTile; ++i) {
            uint16_t bits = floatToHalf(float(tile[i]));
            uint8_t *to = next + 2 * (i * kTileChannels + c - c0);
            to[0] = uint8_t(bits);
            to[1] = uint8_t(bits >> 8);
          }
        }
      }
    }
  }
  return packed;
}

std::vector<uint8_t> packWeights(const ConvShape &shape, const ConvPart &part,
                                 const HardwareConfig &config, const Tensor &weight) {
  if (shape.samples != 0) {
    return packImageWeights(shape, part, config, weight);
  }
  // The tensor channel of each memory channel; -1 in gaps.
  std::vector<int64_t> tensorChannel(physicalChannels(shape.channels), -1);
  for (size_t c = 0; c < shape.channels.size(); ++c) {
    tensorChannel[shape.channels[c]] = int64_t(c);
  }
  int64_t perGroup = shape.kernels / shape.groups;
  auto weightAt = [&](int64_t k, int64_t c, int64_t row, int64_t column) -> uint16_t {
    int64_t channel = tensorChannel[c];
    int64_t inGroup = channel - k / perGroup * shape.groupInputs;
    if (channel < 0 || inGroup < 0 || inGroup >= shape.groupInputs) {
      return 0;
    }
    int64_t at =
        ((k * shape.groupInputs + inGroup) * shape.kernelHeight + row) * shape.kernelWidth + column;
    return bitsAt(weight, at);
  };
  return shape.isWinograd ? packTiles(shape, part, config, weightAt)
                          : packWeights(shape, part, config, weightAt);
}

} // namespace convoy::nvdla
