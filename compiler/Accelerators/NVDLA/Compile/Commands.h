// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of a program: a loadable, and what a driver must know beside it: where
// the caller's tensors are, and which layer each group of operations belongs to.

#pragma once

#include "Accelerators/NVDLA/Compile/EmitLoadable.h"

namespace convoy::nvdla {

/// A tensor of the caller, row-major, in the memory of the program.
struct BoundTensor {
  uint64_t address = 0, bytes = 0;
  /// What is taken off bytes on their way to the device: 128 of unsigned ones.
  uint32_t storedBy = 0;
};

struct Commands {
  std::vector<BoundTensor> inputs, outputs; // by bind id
  std::vector<std::string> layers;
  /// For each group, in their order: its layer.
  std::vector<uint32_t> groupLayers;
  std::vector<uint8_t> loadable;
};

std::vector<uint8_t> writeCommands(const Commands &commands);

/// Reads any bytes: what is not of this form is an error.
llvm::Expected<Commands> readCommands(llvm::ArrayRef<uint8_t> bytes);

} // namespace convoy::nvdla
