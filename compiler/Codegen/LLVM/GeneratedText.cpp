// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements GeneratedText.h.

#include "Codegen/LLVM/GeneratedText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::codegen {

std::string commentText(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    result += llvm::isPrint(c) ? c : '?';
  }
  for (llvm::StringRef pair : {"*/", "/*"}) {
    for (size_t at = 0; (at = result.find(pair, at)) != std::string::npos;) {
      result[at + 1] = '|';
    }
  }
  return result;
}

std::string stringLiteral(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    // A question mark may start a trigraph. Octal escapes have at most three digits, so the next
    // character cannot become a part of the escape.
    bool isPlain = llvm::isPrint(c) && c != '"' && c != '\\' && c != '?';
    result += isPlain ? std::string(1, c)
                      : llvm::formatv("\\{0}{1}{2}", (c >> 6) & 3, (c >> 3) & 7, c & 7).str();
  }
  return result + "\"";
}

} // namespace convoy::codegen
