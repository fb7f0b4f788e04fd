// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes a loadable's descriptors into jobs. Trace/DecodeRegisters.h decodes the same jobs from
// registers.

#pragma once

#include "Accelerators/NVDLA/Loadable/Tasks.h"
#include "Accelerators/NVDLA/Simulator/Jobs.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::nvdla {

/// An address in simulated memory and the number of bytes that belong to it.
struct Place {
  uint64_t address = 0, bytes = 0;
  Port port = Port::Dram;
};

/// Returns the place of address `index` of a task.
using Places = llvm::function_ref<llvm::Expected<Place>(int index)>;

/// Decode a descriptor; fail if a cube exceeds the memory that it names. `atomBytes` is the atom
/// size of the configuration.
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

/// Decodes a table as the unit's registers hold it: its ranges have 38 bits for CDP and 32 bits for
/// SDP.
LutTables decodeLut(const LutDescriptor &descriptor, unsigned rangeBits, Precision precision);

} // namespace convoy::nvdla
