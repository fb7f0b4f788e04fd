// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs from a loadable's descriptors: the second of two decoders.

#pragma once

#include "Accelerators/NVDLA/Loadable/Tasks.h"
#include "Accelerators/NVDLA/Simulator/Jobs.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::nvdla {

/// A place in simulated memory and how many bytes from there belong to it.
struct Place {
  uint64_t address = 0, bytes = 0;
  Port port = Port::Dram;
};

/// Where a task's address `index` lies.
using Places = llvm::function_ref<llvm::Expected<Place>(int index)>;

/// All fail for cubes that do not lie in the memory they name. `atomBytes` is the configuration's.
llvm::Expected<ConvJob> decodeConv(const ConvDescriptor &descriptor, Places places,
                                   uint32_t atomBytes);
llvm::Expected<SdpJob> decodeSdp(const SdpDescriptor &descriptor, const DlaTask &task,
                                 Places places, uint32_t atomBytes);
llvm::Expected<PdpJob> decodePdp(const PdpDescriptor &descriptor, Places places,
                                 uint32_t atomBytes);
llvm::Expected<CdpJob> decodeCdp(const CdpDescriptor &descriptor, const DlaTask &task,
                                 Places places, uint32_t atomBytes);
llvm::Expected<RubikJob> decodeRubik(const RubikDescriptor &descriptor, Places places,
                                     uint32_t atomBytes);
llvm::Expected<std::vector<BdmaJob>> decodeBdma(const BdmaDescriptor &descriptor, Places places);

/// What the unit's registers hold of a table: 38 bits of its ranges for CDP, 32 for SDP.
LutTables decodeLut(const LutDescriptor &descriptor, unsigned rangeBits, Precision precision);

} // namespace convoy::nvdla
