// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The performance model that NVIDIA publishes as a spreadsheet, with its assumptions: pooling,
// scaling and element-wise work cost nothing, 3 x 3 convolutions are done the Winograd way,
// strides fold into channels, fully connected layers run 16 frames at once. For comparison; the
// estimates we report are those of CycleModel.h.

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
  /// Side of what is written, after a pooling that follows.
  uint32_t outSize;
  /// Equal layers: the halves of a grouped convolution.
  uint32_t count = 1;
  uint32_t batch = 1;
  /// Adds another cube of its output's size.
  bool isElementwise = false;
  /// Kernels whose output a pooling that follows does not shrink: their side is `size`.
  uint32_t unpooledKernels = 0;
};

struct SpreadsheetCycles {
  double mac, dram;
  double total() const { return mac > dram ? mac : dram; }
};

/// Of one of `layer.count`, per frame.
SpreadsheetCycles spreadsheetCycles(const SpreadsheetLayer &layer,
                                    const SpreadsheetMachine &machine = {});

} // namespace convoy::nvdla
