// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/convoy/output/PlainStream.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::tool {

std::string plainText(llvm::StringRef text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    // In UTF-8, the control characters U+0080 to U+009F are 0xC2 and this byte.
    auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    bool isControl = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    bool isLongControl = byte == 0xc2 && next >= 0x80 && next <= 0x9f;
    if (!isControl && !isLongControl) {
      plain += text[i];
      continue;
    }
    unsigned char code = isControl ? byte : next;
    plain += "\\x";
    plain += llvm::hexdigit(code >> 4);
    plain += llvm::hexdigit(code & 15);
    i += isLongControl ? 1 : 0;
  }
  return plain;
}

} // namespace convoy::tool
