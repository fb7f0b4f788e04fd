// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the depth of the text in one pass before a recursive parser sees it.

#include "Support/Json.h"

namespace convoy {

int64_t textDepth(llvm::StringRef text) {
  int64_t depth = 0, most = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isString) {
      i += c == '\\'; // the next character does not end the string
      isString = c != '"';
    } else if (c == '"') {
      isString = true;
    } else if (c == '[' || c == '{' || c == '(' || c == '<') {
      most = std::max(most, ++depth);
    } else if (c == ']' || c == '}' || c == ')' || (c == '>' && i > 0 && text[i - 1] != '-')) {
      --depth; // "->" is an arrow in IR
    }
  }
  return most;
}

llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  if (text.size() > kMaxJsonBytes) {
    return llvm::createStringError("the JSON text has " + llvm::Twine(text.size()) +
                                   " bytes, expected at most " + llvm::Twine(kMaxJsonBytes));
  }
  if (int64_t depth = textDepth(text); depth > kMaxTextDepth) {
    return llvm::createStringError("the JSON text has " + llvm::Twine(depth) +
                                   " nested levels, expected at most " +
                                   llvm::Twine(kMaxTextDepth));
  }
  return llvm::json::parse(text);
}

} // namespace convoy
