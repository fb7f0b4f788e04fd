// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device's lowering gives: commands, and the memory that they work on. The
// frame around it, convoy/device.h, is the same for all devices.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace convoy::accelerators {

/// Bytes of the device's memory.
struct MemoryRange {
  int64_t address = 0;
  int64_t bytes = 0;
};

/// A layer of a program, for reports.
struct ProgramStep {
  std::string name; // the ONNX nodes it computes
  std::string unit; // of the device
  double nanoseconds = 0;
};

struct Program {
  int64_t memoryBytes = 0;
  std::vector<MemoryRange> inputs;  // as the region's arguments
  std::vector<MemoryRange> outputs; // as its results
  /// Weights and tables: the first bytes of the memory.
  std::vector<uint8_t> image;
  std::vector<uint8_t> commands;
  std::vector<ProgramStep> steps;
};

/// Commands as a file of the device's own kind.
struct ProgramFile {
  std::string extension;
  std::vector<uint8_t> bytes;
};

/// The program in the frame that the runtime loads.
std::vector<uint8_t> encodeProgram(const Program &program, llvm::StringRef device);

} // namespace convoy::accelerators
