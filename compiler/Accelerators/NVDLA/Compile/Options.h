// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the NVDLA compiler, and the names of the targets that select them. The device
// (Nvdla.cpp) and each pass read a target name with this code.

#pragma once

#include "Accelerators/NVDLA/Simulator/HardwareConfig.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace convoy::nvdla {

struct NvdlaOptions {
  const HardwareConfig *config = nullptr;
  /// Minimize bytes instead of cycles.
  bool savesMemory = false;
  /// Compile like the official compiler, for comparison: separate pools, dense weights for groups,
  /// no Winograd.
  bool isSeparate = false;
  /// Compute all groups of a convolution as one operation with zero weights, if that takes fewer
  /// operations, even if it takes more cycles.
  bool hasDenseGroups = false;
};

/// A hardware configuration and the name of its target.
struct NamedConfig {
  llvm::StringLiteral name, config, summary;
};

llvm::ArrayRef<NamedConfig> namedConfigs();

/// Returns the configuration of a target name, without the settings behind the first ':', or null.
const NamedConfig *findNamedConfig(llvm::StringRef target);

/// Reads a name such as `nvdla-small`, `nvdla-small:optimize=memory`,
/// `nvdla-small:profile=separate` or `nvdla-small:groups=dense`. Returns nothing if the name is not
/// a target of NVDLA.
llvm::Expected<std::optional<NvdlaOptions>> readTarget(llvm::StringRef target);

/// Reads the option `config` of a pass on `op`. Emits an error at `op` if it names no target.
std::optional<NvdlaOptions> requireOptions(mlir::Operation *op, llvm::StringRef config);

} // namespace convoy::nvdla
