// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a C file of a custom op. All builds that Convoy runs use this function, so the file has
// the same results in all of them.

#pragma once

#include "Targets/Target.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace convoy::driver {

/// Compiles `source` to `object`. Sums and products round separately. `flags` are those of the
/// build, among them the folder of convoy/custom_op.h.
llvm::Error compileCustomSource(const targets::Tool &compiler, const std::string &source,
                                const std::string &object, std::vector<std::string> flags);

} // namespace convoy::driver
