// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a loadable on the simulator: memories laid out, inputs bound, tasks submitted in order.

#pragma once

#include "Accelerators/NVDLA/Loadable/DecodeDescriptors.h"
#include "Accelerators/NVDLA/Loadable/Schedule.h"
#include "Accelerators/NVDLA/Simulator/Engines.h"

namespace convoy::nvdla {

class LoadableRun {
public:
  /// `loadable` and `config` are kept by reference.
  LoadableRun(const Loadable &loadable, const HardwareConfig &config);

  /// Bytes of the memory that is bound as `bindId`, in the layout of its tensor.
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
  /// Where each memory of the list begins.
  std::vector<uint64_t> bases;
};

/// A tensor's elements, channel by channel, line by line, from the layout in memory; integers and
/// halves alike as numbers. `atomBytes` cuts channels.
llvm::Expected<std::vector<float>> unpackTensor(const LoadableTensor &tensor,
                                                llvm::ArrayRef<uint8_t> bytes, uint32_t atomBytes);

} // namespace convoy::nvdla
