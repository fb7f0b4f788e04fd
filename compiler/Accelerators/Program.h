// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a device's lowering: commands and the memory that they use. encodeProgram adds the
// frame of convoy/device.h, which is the same for all devices.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace convoy::accelerators {

/// A range of the device's memory.
struct MemoryRange {
  int64_t address = 0;
  int64_t bytes = 0;
};

/// One layer of a program, for reports.
struct ProgramStep {
  std::string name; // the ONNX nodes that the layer computes
  std::string unit; // the unit of the device that runs the layer
  double nanoseconds = 0;
};

struct Program {
  int64_t memoryBytes = 0;
  std::vector<MemoryRange> inputs;  // in the order of the region's arguments
  std::vector<MemoryRange> outputs; // in the order of the region's results
  /// Weights and tables, which the runtime copies to the start of the memory.
  std::vector<uint8_t> image;
  std::vector<uint8_t> commands;
  std::vector<ProgramStep> steps;
};

/// Commands in a file format of the device.
struct ProgramFile {
  std::string extension;
  std::vector<uint8_t> bytes;
};

/// Returns the program in the frame that the runtime loads.
std::vector<uint8_t> encodeProgram(const Program &program, llvm::StringRef device);

} // namespace convoy::accelerators
