// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of a program: a loadable and the data that the driver needs in addition. The driver
// needs the addresses of the caller's tensors and the layer of each group of operations.

#pragma once

#include "Accelerators/NVDLA/Compile/EmitLoadable.h"

namespace convoy::nvdla {

/// A row-major tensor of the caller in the memory of the program.
struct BoundTensor {
  uint64_t address = 0, bytes = 0;
  /// Subtracted from each byte when it is copied to the device: 128 for unsigned bytes, otherwise
  /// 0.
  uint32_t storedBy = 0;
};

struct Commands {
  std::vector<BoundTensor> inputs, outputs; // indexed by bind id
  std::vector<std::string> layers;
  /// The layer of each group, in the order of the groups.
  std::vector<uint32_t> groupLayers;
  std::vector<uint8_t> loadable;
};

std::vector<uint8_t> writeCommands(const Commands &commands);

/// Parses commands. `bytes` is untrusted: malformed data is an error.
llvm::Expected<Commands> readCommands(llvm::ArrayRef<uint8_t> bytes);

} // namespace convoy::nvdla
