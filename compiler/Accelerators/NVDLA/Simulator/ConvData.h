// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CDMA brings into the convolution buffer, in plain order: the input with its padding in
// place, and the weights. Elements are int16_t for integers of both widths, float for fp16.

#pragma once

#include "Accelerators/NVDLA/Simulator/Engines.h"

namespace convoy::nvdla {

/// [y][x][channel], as large as the kernel's steps reach.
template <typename T>
struct ConvInput {
  uint32_t width = 0, height = 0, channels = 0;
  std::vector<T> values;
};

/// The kernel in pixels: an image's kernel row holds the channels of all its pixels.
inline uint32_t kernelPixels(const ConvJob &job) {
  return job.isImage ? job.kernel.channels / job.input.channels : job.kernel.width;
}

/// Fails for jobs outside the hardware's limits and for what the simulator does not model.
llvm::Error checkConv(const ConvJob &job, const HardwareConfig &config);

/// The input converter of one value; `channel` picks the mean.
int32_t convertInput(const ConvJob &job, uint32_t channel, int32_t value);

template <typename T>
llvm::Expected<ConvInput<T>> fetchInput(const ConvJob &job, const Machine &machine);

/// [kernel][row][column][channel] from the packed order that the MAC array reads; the same
/// of the 4 x 4 transformed weights of a Winograd convolution.
template <typename T>
std::vector<T> fetchWeights(const ConvJob &job, const Machine &machine);

} // namespace convoy::nvdla
