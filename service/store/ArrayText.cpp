// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every text is quoted, so that a text is never taken for NULL or for a nested array.

#include "ArrayText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::service::store {

std::string storableText(llvm::StringRef text) {
  std::string result = llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
  result.erase(std::remove(result.begin(), result.end(), '\0'), result.end());
  return result;
}

void ArrayText::separate() {
  if (!values.empty()) {
    values += ',';
  }
}

void ArrayText::add(llvm::StringRef value) {
  separate();
  values += '"';
  for (char c : storableText(value)) {
    if (c == '"' || c == '\\') {
      values += '\\';
    }
    values += c;
  }
  values += '"';
}

void ArrayText::add(int64_t value) {
  separate();
  values += std::to_string(value);
}

void ArrayText::add(double value) {
  separate();
  llvm::raw_string_ostream(values) << llvm::format("%.17g", value);
}

} // namespace convoy::service::store
