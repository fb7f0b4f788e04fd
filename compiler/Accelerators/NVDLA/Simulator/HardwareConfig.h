// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The published configurations of NVDLA's hardware. Engines use the three atom sizes; the cycle
// model uses the other fields.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace convoy::nvdla {

struct HardwareConfig {
  llvm::StringLiteral name;
  /// Bytes of one feature atom in memory.
  uint32_t atomBytes;
  /// Channels and int8 kernels that the MAC array processes at once.
  uint32_t macChannels, macKernels;
  uint32_t cbufBanks, cbufEntriesPerBank, cbufEntryBytes;
  /// Elements per cycle; 0 if the configuration does not have the stage.
  uint32_t sdpBsElems, sdpBnElems, sdpEwElems;
  uint32_t pdpElems, cdpElems;
  /// Supports int16 and fp16 in addition to int8, with half the kernels per cycle.
  bool hasWideTypes;
  bool hasBdmaAndRubik, hasSram;
  uint32_t dramBits, latencyCycles;

  uint64_t cbufBytes() const { return uint64_t(cbufBanks) * cbufEntriesPerBank * cbufEntryBytes; }
};

/// Returns nv_small, nv_small_256, nv_small_256_full, nv_medium_512, nv_medium_1024_full, nv_large
/// and nv_full.
llvm::ArrayRef<HardwareConfig> hardwareConfigs();

/// Returns the configuration with this name, or null.
const HardwareConfig *findHardwareConfig(llvm::StringRef name);

} // namespace convoy::nvdla
