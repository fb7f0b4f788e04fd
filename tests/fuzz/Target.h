// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of the fuzz targets. A target is a file with LLVMFuzzerTestOneInput; targets.txt lists
// the targets.

#pragma once

#include "tests/fuzz/Finding.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace convoy::fuzz {

inline llvm::StringRef textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Returns whether the reader accepted the input. An error without a text is a finding, because the
/// user would see no message.
template <typename Value>
bool isAccepted(llvm::Expected<Value> &value) {
  return value || (expectText(value.takeError()), false);
}

/// Writes the input to a file that the next input replaces, for readers of files. Returns its path.
std::string writeInput(llvm::StringRef bytes, llvm::StringRef name);

} // namespace convoy::fuzz
