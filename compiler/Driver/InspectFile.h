// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of devices, told by their extension.

#pragma once

#include "Accelerators/Registry.h"

namespace convoy::driver {

using accelerators::InspectedFile;

bool isDeviceFile(llvm::StringRef path);

/// Reads a device's file. `config` names hardware whose cycles to estimate; empty: none.
llvm::Expected<InspectedFile> inspectFile(const std::string &path, llvm::StringRef config);

} // namespace convoy::driver
