// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a job takes: an estimate from the rules by which the sequencer cuts convolutions into
// stripes, and from rates of memories and post-processing. It is no measurement, and no chip was
// asked.

#pragma once

#include "Accelerators/NVDLA/Simulator/HardwareConfig.h"
#include "Accelerators/NVDLA/Simulator/Jobs.h"

namespace convoy::nvdla {

/// Bytes per cycle of the two ports; 0 means as wide as the configuration's DRAM port.
struct MemoryRates {
  double dram = 0, sram = 0;
};

struct LayerCycles {
  /// "CONV+SDP".
  std::string units;
  uint64_t macs = 0;
  /// The MAC array at work or waiting for the next weights, and how much of it is waiting.
  uint64_t macCycles = 0, weightLoadCycles = 0;
  uint64_t dataBytes = 0, weightBytes = 0, operandBytes = 0, writtenBytes = 0;
  uint64_t dramCycles = 0, sramCycles = 0, sdpCycles = 0, pdpCycles = 0, cdpCycles = 0;
  /// Until the first data arrive.
  uint64_t startCycles = 0;
  uint64_t totalCycles = 0;
  /// Cycles in which the busiest compute unit has nothing to do.
  uint64_t stallCycles = 0;
  /// What sets the pace: "MAC", "DRAM", "SRAM", "SDP", "PDP" or "CDP".
  const char *bound = "";

  uint64_t movedBytes() const { return dataBytes + weightBytes + operandBytes + writtenBytes; }
};

/// Share of the MAC array's work that is the layer's own, 0 to 1.
double macUtilization(const LayerCycles &layer, const HardwareConfig &config, Precision precision);

LayerCycles estimateCycles(const FusedJob &job, const HardwareConfig &config,
                           const MemoryRates &rates = {});
LayerCycles estimateCycles(const CdpJob &job, const HardwareConfig &config,
                           const MemoryRates &rates = {});
LayerCycles estimateCycles(const RubikJob &job, const HardwareConfig &config,
                           const MemoryRates &rates = {});
LayerCycles estimateCycles(const BdmaJob &job, const HardwareConfig &config,
                           const MemoryRates &rates = {});

/// Cycles of the MAC array alone.
uint64_t convolutionCycles(const ConvJob &job, const HardwareConfig &config);

} // namespace convoy::nvdla
