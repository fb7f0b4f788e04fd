// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the table of a compiled library for `convoy inspect`.

#pragma once

#include "Driver/InspectFile.h"

namespace convoy::driver {

bool isLibrary(llvm::StringRef path);

/// Returns whether a file is a shared library by its first bytes, whatever its name is.
bool isLibraryFile(const std::string &path);

/// Loads the library, which runs its constructor, and describes its table. Fails if the library
/// is for another architecture or another interface, or if its weights file is missing.
llvm::Expected<InspectedFile> inspectLibrary(const std::string &path);

} // namespace convoy::driver
