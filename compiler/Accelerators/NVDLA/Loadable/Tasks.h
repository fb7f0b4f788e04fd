// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a loadable with decoded blobs: operations of the accelerator, or of the emulator on
// the host.

#pragma once

#include "Accelerators/NVDLA/Loadable/Descriptors.h"
#include "Accelerators/NVDLA/Loadable/Loadable.h"

namespace convoy::nvdla {

/// One operation of an engine and its dependences.
struct HardwareOp {
  DependencyDescriptor dependency;
  EngineDescriptor descriptor;

  Engine engine() const { return Engine(descriptor.index()); }
};

struct DlaTask {
  CubeLayout layout = CubeLayout::WithOffset;
  NetworkDescriptor network;
  std::vector<HardwareOp> ops;
  std::vector<LutDescriptor> luts;
};

struct EmulatorBuffer {
  int16_t address = -1;
  uint32_t offset = 0, size = 0;
  uint16_t format = 0, width = 0, height = 0, channel = 0;
  uint32_t lineStride = 0, surfaceStride = 0;
};

/// (scale * x + shift) ^ power, or softmax over channels.
struct EmulatorOp {
  enum class Type : uint8_t { Power = 0, Softmax = 1 } type = Type::Power;
  float inputScale = 1, outputScale = 1;
  float power = 1, scale = 1, shift = 0;
  uint8_t axis = 1;
  EmulatorBuffer source, target;
};

struct EmulatorTask {
  std::vector<EmulatorOp> ops;
};

/// Returns the initial contents of all memories, in the order of the list; empty for memories
/// without contents.
std::vector<std::vector<uint8_t>> initialContents(const Loadable &loadable);

/// Decode a task; fail if the task has the other interface.
llvm::Expected<DlaTask> readDlaTask(const Loadable &loadable, const LoadableTask &task);
llvm::Expected<EmulatorTask> readEmulatorTask(const Loadable &loadable, const LoadableTask &task);

} // namespace convoy::nvdla
