// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ThreadSanitizer on generated code.

#pragma once

#include "llvm/IR/PassManager.h"

namespace convoy::codegen {

/// Adds LLVM's passes, and one for the vectors that these leave out. To be run
/// when the code is optimised: what is not accessed in the end is not watched.
void addThreadSanitizer(llvm::ModulePassManager &passes);

} // namespace convoy::codegen
