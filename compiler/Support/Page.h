// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shell of every HTML page: pages need nothing but themselves and run no script.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy {

/// Text as HTML and SVG have it. Control characters become question marks.
std::string htmlText(llvm::StringRef text);

/// Up to the opening of the body. `style` is added to the style that all pages share.
std::string pageHead(llvm::StringRef title, llvm::StringRef style = "");

/// From the end of the body.
std::string pageTail();

} // namespace convoy
