// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configurations in which NVDLA's hardware is published, as data. Engines read the three
// atoms that shape data; the cycle model reads the rest.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace convoy::nvdla {

struct HardwareConfig {
  llvm::StringLiteral name;
  /// Bytes of one feature atom in memory.
  uint32_t atomBytes;
  /// Channels and int8 kernels that the MAC array takes at once.
  uint32_t macChannels, macKernels;
  uint32_t cbufBanks, cbufEntriesPerBank, cbufEntryBytes;
  /// Elements per cycle; 0 where the stage is not built.
  uint32_t sdpBsElems, sdpBnElems, sdpEwElems;
  uint32_t pdpElems, cdpElems;
  /// int16 and fp16 beside int8, at half the kernels per cycle.
  bool hasWideTypes;
  bool hasBdmaAndRubik, hasSram;
  uint32_t dramBits, latencyCycles;

  uint64_t cbufBytes() const { return uint64_t(cbufBanks) * cbufEntriesPerBank * cbufEntryBytes; }
};

/// nv_small, nv_small_256, nv_small_256_full, nv_medium_512, nv_medium_1024_full, nv_large,
/// nv_full.
llvm::ArrayRef<HardwareConfig> hardwareConfigs();

/// Null for a name that is not in the list.
const HardwareConfig *findHardwareConfig(llvm::StringRef name);

} // namespace convoy::nvdla
