// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the head and tail of HTML reports. Each page is self-contained and has
// no script.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy {

/// Escapes text for HTML and SVG. Control characters become question marks.
std::string htmlText(llvm::StringRef text);

/// Returns the page up to the start of the body. `style` is added to the common
/// style.
std::string pageHead(llvm::StringRef title, llvm::StringRef style = "");

/// Returns the page from the end of the body.
std::string pageTail();

} // namespace convoy
