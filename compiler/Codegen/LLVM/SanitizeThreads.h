// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruments generated code with ThreadSanitizer.

#pragma once

#include "llvm/IR/PassManager.h"

namespace convoy::codegen {

/// Adds LLVM's passes, and a pass for the wide vectors that they ignore. Run it after
/// optimization, so that removed accesses are not instrumented.
void addThreadSanitizer(llvm::ModulePassManager &passes);

} // namespace convoy::codegen
