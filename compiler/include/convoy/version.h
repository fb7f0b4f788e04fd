// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of the compiler library, and what its symbols are exported by.

#pragma once

/// Marks what libconvoy exports; everything else is hidden.
#define CONVOY_API __attribute__((visibility("default")))

namespace convoy {

/// "0.2.0", of the library that is loaded.
CONVOY_API const char *versionText();

} // namespace convoy
