// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the header that the C files of custom ops include.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

/// Writes convoy/custom_op.h to the folder `directory`.
llvm::Error writeCustomHeader(llvm::StringRef directory);

} // namespace convoy::codegen
