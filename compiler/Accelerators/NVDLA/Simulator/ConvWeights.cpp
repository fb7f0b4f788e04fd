// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unpacks weights. The order in memory, fastest first, is: channel in a block, row of a
// post-extension, kernel in a group, column, row, block of channels, group of kernels. The last
// block and the last group are short, not padded. For Winograd the order is: channel of four,
// column, row, kernel in a group, four channels, group of kernels.

#include "Accelerators/NVDLA/Simulator/ConvData.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/Winograd.h"

namespace convoy::nvdla {
namespace {

/// Reads packed elements sequentially.
template <typename T>
class ElementReader {
public:
  ElementReader(const ConvJob &job, const Machine &machine, size_t count)
      : bytes(machine.memory.copy(job.weightPort, job.weightAddress,
                                  count * bytesPerElement(job.precision))),
        at(bytes.data()), precision(job.precision) {}

  T next() {
    if (precision == Precision::Int8) {
      return T(int8_t(*at++));
    }
    uint16_t bits = uint16_t(at[0] | at[1] << 8);
    at += 2;
    if constexpr (std::is_same_v<T, float>) {
      return halfToFloat(bits);
    } else {
      return T(bits);
    }
  }

private:
  std::vector<uint8_t> bytes;
  const uint8_t *at;
  Precision precision;
};

struct Block {
  uint32_t firstKernel, kernels, firstChannel, channels;
};

template <typename T>
void unpackBlock(const ConvJob &job, const Block &block, ElementReader<T> &reader,
                 std::vector<T> &weights) {
  const CubeSize &kernel = job.kernel;
  for (uint32_t r = 0; r < kernel.height; r += job.postExtension) {
    uint32_t rows = std::min(job.postExtension, kernel.height - r);
    for (uint32_t s = 0; s < kernel.width; ++s) {
      for (uint32_t k = block.firstKernel; k < block.firstKernel + block.kernels; ++k) {
        for (uint32_t row = r; row < r + rows; ++row) {
          T *target =
              &weights[((size_t(k) * kernel.height + row) * kernel.width + s) * kernel.channels +
                       block.firstChannel];
          for (uint32_t c = 0; c < block.channels; ++c) {
            target[c] = reader.next();
          }
        }
      }
    }
  }
}

template <typename T>
void unpackTiles(const ConvJob &job, const Block &block, ElementReader<T> &reader,
                 std::vector<T> &weights) {
  for (uint32_t k = block.firstKernel; k < block.firstKernel + block.kernels; ++k) {
    for (uint32_t i = 0; i < kTile; ++i) {
      T *target = &weights[(size_t(k) * kTile + i) * job.kernel.channels + block.firstChannel];
      for (uint32_t c = 0; c < block.channels; ++c) {
        target[c] = reader.next();
      }
    }
  }
}

} // namespace

template <typename T>
std::vector<T> fetchWeights(const ConvJob &job, const Machine &machine) {
  size_t perKernel = size_t(job.kernel.width) * job.kernel.height * job.kernel.channels;
  std::vector<T> weights(perKernel * job.kernels);
  ElementReader<T> reader(job, machine, weights.size());
  // A 16-bit MAC cell consists of two 8-bit cells: half the kernels, the same number of channels.
  uint32_t groupKernels = machine.config.macKernels / bytesPerElement(job.precision);
  uint32_t blockChannels = job.isWinograd ? kTileChannels : machine.config.macChannels;
  auto unpack = job.isWinograd ? unpackTiles<T> : unpackBlock<T>;
  for (uint32_t k = 0; k < job.kernels; k += groupKernels) {
    for (uint32_t c = 0; c < job.kernel.channels; c += blockChannels) {
      Block block = {k, std::min(groupKernels, job.kernels - k), c,
                     std::min(blockChannels, job.kernel.channels - c)};
      unpack(job, block, reader, weights);
    }
  }
  return weights;
}

template std::vector<int16_t> fetchWeights(const ConvJob &, const Machine &);
template std::vector<float> fetchWeights(const ConvJob &, const Machine &);

} // namespace convoy::nvdla
