// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The performance model that NVIDIA publishes as a spreadsheet, with its assumptions: pooling,
// scaling and element-wise work are free, 3 x 3 convolutions use Winograd, strides fold into
// channels, and fully connected layers run 16 frames at once. It serves for comparison only; Convoy
// reports the estimates of CycleModel.h.

#pragma once

#include <cstdint>

namespace convoy::nvdla {

struct SpreadsheetMachine {
  double macs = 2048, dramGigabytesPerSecond = 10, megahertz = 1000;
  uint64_t cbufBytes = 512 * 1024;
};

struct SpreadsheetLayer {
  uint32_t channels, size, kernels, kernelSize, stride;
  bool isPadded;
  /// Side of the written output, after a pooling layer that follows.
  uint32_t outSize;
  /// Number of equal layers, for example the halves of a grouped convolution.
  uint32_t count = 1;
  uint32_t batch = 1;
  /// Adds another cube of the size of the output.
  bool isElementwise = false;
  /// Kernels whose output the following pooling does not shrink; their side is `size`.
  uint32_t unpooledKernels = 0;
};

struct SpreadsheetCycles {
  double mac, dram;
  double total() const { return mac > dram ? mac : dram; }
};

/// Returns the cycles of one of `layer.count` layers per frame.
SpreadsheetCycles spreadsheetCycles(const SpreadsheetLayer &layer,
                                    const SpreadsheetMachine &machine = {});

} // namespace convoy::nvdla
