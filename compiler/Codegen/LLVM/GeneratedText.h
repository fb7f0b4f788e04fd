// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in generated C: the header of a model and emitted C source.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::codegen {

/// Replaces characters that are not printable, and the second character of each comment
/// delimiter, so that the text cannot end a comment.
std::string commentText(llvm::StringRef text);

/// Returns the text as a C string literal of printable ASCII characters, quotes included.
std::string stringLiteral(llvm::StringRef text);

} // namespace convoy::codegen
