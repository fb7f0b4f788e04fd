// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses JSON and other nested text from files of users.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace convoy {

/// The limits of nested text. LLVM's and MLIR's parsers use the stack of the process for each
/// level.
constexpr int64_t kMaxTextDepth = 64;
constexpr uint64_t kMaxJsonBytes = uint64_t(256) << 20;

/// Returns the number of brackets (of the kinds [, {, ( and <) that are open at the same time;
/// brackets inside of strings do not count.
int64_t textDepth(llvm::StringRef text);

/// Parses JSON. Text over kMaxJsonBytes or with more than kMaxTextDepth levels is an error.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace convoy
