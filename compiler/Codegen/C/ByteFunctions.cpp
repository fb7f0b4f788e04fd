// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the embedded text of byte functions and of the macros of multiply ops. CMake generates the
// table from the files in Bytes/ and Macros/.

#include "Codegen/C/ByteFunctions.h"

using llvm::StringRef;

namespace convoy::codegen {
namespace {

struct File {
  StringRef name;
  StringRef text;
};

#include CONVOY_BYTE_FILES // NOLINT

} // namespace

std::optional<ByteFunction> findByteFunction(StringRef name) {
  for (const File &file : kByteFiles) {
    if (file.name != name) {
      continue;
    }
    auto [head, rest] = file.text.split("/* BEGIN */\n");
    ByteFunction function{rest.split("/* END */").first, {}};
    for (StringRef line; !head.empty();) {
      std::tie(line, head) = head.split('\n');
      if (line.consume_front("#include \"") && line.consume_back(".h\"")) {
        function.needs.push_back(line);
      }
    }
    return function;
  }
  return std::nullopt;
}

} // namespace convoy::codegen
