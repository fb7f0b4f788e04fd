// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a copy of convoy/custom_op.h, so that the C files of custom ops compile without an
// installed Convoy.

#include "Codegen/C/CustomHeader.h"
#include "Support/TemporaryFolder.h"

namespace convoy::codegen {

/// The text of runtime/include/convoy/custom_op.h.
constexpr char kCustomHeader[] = {
#include CONVOY_CUSTOM_HEADER_TEXT
    '\0'};

llvm::Error writeCustomHeader(llvm::StringRef directory) {
  return writeFile(inFolder(directory, "convoy/custom_op.h"), kCustomHeader);
}

} // namespace convoy::codegen
