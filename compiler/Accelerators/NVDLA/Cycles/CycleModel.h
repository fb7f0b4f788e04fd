// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates how long a job takes, from the rules by which the sequencer splits convolutions into
// stripes and from the rates of memories and post-processing units. The estimate has not been
// compared with a chip.

#pragma once

#include "Accelerators/NVDLA/Simulator/HardwareConfig.h"
#include "Accelerators/NVDLA/Simulator/Jobs.h"

namespace convoy::nvdla {

/// Bytes per cycle of the two ports; 0 selects the width of the configuration's DRAM port.
struct MemoryRates {
  double dram = 0, sram = 0;
};

struct LayerCycles {
  /// For example "CONV+SDP".
  std::string units;
  uint64_t macs = 0;
  /// Cycles in which the MAC array computes or waits for weights, and the waiting part of them.
  uint64_t macCycles = 0, weightLoadCycles = 0;
  uint64_t dataBytes = 0, weightBytes = 0, operandBytes = 0, writtenBytes = 0;
  uint64_t dramCycles = 0, sramCycles = 0, sdpCycles = 0, pdpCycles = 0, cdpCycles = 0;
  /// Cycles until the first data arrives.
  uint64_t startCycles = 0;
  uint64_t totalCycles = 0;
  /// Cycles in which the busiest compute unit is idle.
  uint64_t stallCycles = 0;
  /// The limiting unit: "MAC", "DRAM", "SRAM", "SDP", "PDP" or "CDP".
  const char *bound = "";

  uint64_t movedBytes() const { return dataBytes + weightBytes + operandBytes + writtenBytes; }
};

/// Returns the fraction of the MAC array's capacity that the layer uses, from 0 to 1.
double macUtilization(const LayerCycles &layer, const HardwareConfig &config, Precision precision);

LayerCycles estimateCycles(const FusedJob &job, const HardwareConfig &config,
                           const MemoryRates &rates = {});
LayerCycles estimateCycles(const CdpJob &job, const HardwareConfig &config,
                           const MemoryRates &rates = {});
LayerCycles estimateCycles(const RubikJob &job, const HardwareConfig &config,
                           const MemoryRates &rates = {});
LayerCycles estimateCycles(const BdmaJob &job, const HardwareConfig &config,
                           const MemoryRates &rates = {});

/// Returns the cycles of the MAC array alone.
uint64_t convolutionCycles(const ConvJob &job, const HardwareConfig &config);

} // namespace convoy::nvdla
