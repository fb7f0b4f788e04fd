// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The opset versions in which ONNX introduced, changed or removed an op.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace convoy::import {

/// The newest opset of ONNX's change log in OpVersions.inc.
constexpr int kNewestOpset = 26;

struct OpVersions {
  llvm::StringLiteral domain, name;
  llvm::StringLiteral since; // "1 6 13"
  int removed;               // 0: not removed
};

/// Returns null if the op is not in the table.
const OpVersions *findOpVersions(llvm::StringRef domain, llvm::StringRef name);

} // namespace convoy::import
