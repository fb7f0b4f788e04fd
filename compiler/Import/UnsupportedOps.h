// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user can do about an operator that no import row supports: the supported operator that
// computes the nearest function, and the change in the exporter. The importer's error and
// `convoy ops NAME` print it.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::import {

/// An operator that exporters write and that Convoy does not support.
struct UnsupportedOp {
  llvm::StringLiteral domain; // "" is ai.onnx
  llvm::StringLiteral name;
  llvm::StringLiteral nearest; // "ai.onnx.Slice"; "" if no operator computes a similar function
  llvm::StringLiteral remedy;
};

/// Returns all rows, sorted by domain and name.
llvm::ArrayRef<UnsupportedOp> unsupportedOps();

struct OpAdvice {
  std::string nearest; // as in UnsupportedOp
  std::string remedy;
};

/// Returns the advice for an unsupported operator. An operator without a row has the advice of its
/// domain, and the same name in another domain or a misspelled name as the nearest operator.
OpAdvice adviceFor(llvm::StringRef domain, llvm::StringRef name);

/// Returns "ai.onnx.Conv" for the domain "" and the name "Conv".
std::string qualifiedName(llvm::StringRef domain, llvm::StringRef name);

} // namespace convoy::import
