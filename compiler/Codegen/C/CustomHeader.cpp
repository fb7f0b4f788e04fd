// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contains a copy of convoy/custom_op.h, so that the C files of custom ops compile without an
// installed Convoy.

#include "Codegen/C/CustomHeader.h"

namespace convoy::codegen {

/// The text of runtime/include/convoy/custom_op.h.
constexpr char kCustomHeader[] = {
#include CONVOY_CUSTOM_HEADER_TEXT
    '\0'};

llvm::StringRef customHeaderText() { return kCustomHeader; }

} // namespace convoy::codegen
