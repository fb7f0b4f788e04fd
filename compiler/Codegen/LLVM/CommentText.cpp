// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces text that would end a comment in generated C or start another one.

#include "Codegen/LLVM/CommentText.h"
#include "llvm/ADT/StringExtras.h"

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

} // namespace convoy::codegen
