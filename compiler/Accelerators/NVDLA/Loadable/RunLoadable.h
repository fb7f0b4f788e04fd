// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a loadable on the simulator: lays out memories, binds inputs and submits tasks in order.

#pragma once

#include "Accelerators/NVDLA/Loadable/DecodeDescriptors.h"
#include "Accelerators/NVDLA/Loadable/Schedule.h"
#include "Accelerators/NVDLA/Simulator/Engines.h"

namespace convoy::nvdla {

class LoadableRun {
public:
  /// Keeps `loadable` and `config` by reference.
  LoadableRun(const Loadable &loadable, const HardwareConfig &config);

  /// Sets the bytes of the memory that is bound as `bindId`, in the layout of its tensor.
  llvm::Error setInput(uint16_t bindId, llvm::ArrayRef<uint8_t> bytes);
  llvm::Error run();
  llvm::Expected<std::vector<uint8_t>> output(uint16_t bindId) const;

private:
  const LoadableMemory *findBound(LoadableMemory::Flags flag, uint16_t bindId) const;
  llvm::Expected<Place> place(const LoadableTask &task, int index) const;
  llvm::Error runTask(const LoadableTask &task);
  llvm::Error runOps(const LoadableTask &task, const DlaTask &dla, const FusedOps &ops);
  llvm::Error runEmulator(const LoadableTask &task);

  const Loadable &loadable;
  const HardwareConfig &config;
  Memory memory;
  /// The start address of each memory in the list.
  std::vector<uint64_t> bases;
};

/// Converts a tensor from its layout in memory to floats in C x H x W order. Accepts integers and
/// fp16.
llvm::Expected<std::vector<float>> unpackTensor(const LoadableTensor &tensor,
                                                llvm::ArrayRef<uint8_t> bytes, uint32_t atomBytes);

} // namespace convoy::nvdla
