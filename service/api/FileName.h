// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that a job may give to the files of its compiled network. The service checks them, and
// a client makes them.

#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <string>

namespace convoy::service {

inline constexpr size_t kMostFileName = 100;

inline bool isInFileName(char c) { return llvm::isAlnum(c) || llvm::StringRef("-._").contains(c); }

/// Returns whether a name is the name of a file without a folder, and a name of a model.
inline bool isFileName(llvm::StringRef name) {
  return !name.empty() && name.size() <= kMostFileName && llvm::isAlpha(name.front()) &&
         llvm::all_of(name, isInFileName);
}

/// Returns a name that isFileName() accepts: the text with '_' for other characters, or "model".
inline std::string toFileName(llvm::StringRef text) {
  std::string name = text.take_front(kMostFileName).str();
  std::replace_if(name.begin(), name.end(), [](char c) { return !isInFileName(c); }, '_');
  return isFileName(name) ? name : "model";
}

} // namespace convoy::service
