// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header that the C files of custom ops include.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace convoy::codegen {

/// The path by which the C files include the header.
inline constexpr llvm::StringLiteral kCustomHeaderPath = "convoy/custom_op.h";

/// Returns the text of the header.
llvm::StringRef customHeaderText();

} // namespace convoy::codegen
