// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text for comments in generated C: the header of a model and emitted C source.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::codegen {

/// Replaces characters that are not printable, and the second character of each comment
/// delimiter, so that the text cannot end a comment.
std::string commentText(llvm::StringRef text);

} // namespace convoy::codegen
