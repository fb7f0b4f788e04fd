// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When ONNX introduced and changed an op.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace convoy::import {

struct OpVersions {
  llvm::StringLiteral domain, name;
  llvm::StringLiteral since; // "1 6 13"
  int removed;               // 0: not removed
};

/// Null for an op that is not in the table.
const OpVersions *findOpVersions(llvm::StringRef domain, llvm::StringRef name);

} // namespace convoy::import
