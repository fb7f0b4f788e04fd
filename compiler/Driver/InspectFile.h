// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file of a device, such as a loadable, for `convoy inspect`. The extension of the
// file selects the device.

#pragma once

#include "Accelerators/Registry.h"

namespace convoy::driver {

using accelerators::InspectedFile;

/// Returns whether a family of devices decodes the files of this extension.
bool hasInspector(llvm::StringRef path);

/// Reads a device's file. If `config` names a hardware configuration, the result has an
/// estimate of its cycles.
llvm::Expected<InspectedFile> inspectFile(const std::string &path, llvm::StringRef config);

} // namespace convoy::driver
