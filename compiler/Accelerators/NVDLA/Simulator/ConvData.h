// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that CDMA loads into the convolution buffer, in plain order: the input with its padding,
// and the weights. Elements are int16_t for both integer widths, and float for fp16.

#pragma once

#include "Accelerators/NVDLA/Simulator/Engines.h"

namespace convoy::nvdla {

/// [y][x][channel], with the size that the kernel covers.
template <typename T>
struct ConvInput {
  uint32_t width = 0, height = 0, channels = 0;
  std::vector<T> values;
};

/// Returns the kernel width in pixels; the kernel row of an image holds the channels of all its
/// pixels.
inline uint32_t kernelPixels(const ConvJob &job) {
  return job.isImage ? job.kernel.channels / job.input.channels : job.kernel.width;
}

/// Fails for jobs outside of the hardware's limits and for features that the simulator does not
/// support.
llvm::Error checkConv(const ConvJob &job, const HardwareConfig &config);

/// Applies the input converter to one value; `channel` selects the mean.
int32_t convertInput(const ConvJob &job, uint32_t channel, int32_t value);

template <typename T>
llvm::Expected<ConvInput<T>> fetchInput(const ConvJob &job, const Machine &machine);

/// Unpacks weights from the order in which the MAC array reads them to
/// [kernel][row][column][channel]; also for the 4 x 4 transformed weights of a Winograd
/// convolution.
template <typename T>
std::vector<T> fetchWeights(const ConvJob &job, const Machine &machine);

} // namespace convoy::nvdla
