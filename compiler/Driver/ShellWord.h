// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotes arguments of the commands that reproducers name.

#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::driver {

/// Returns `word` as one argument of a POSIX shell, in quotes if it needs them.
inline std::string shellWord(llvm::StringRef word) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("-_./=:+,@%").contains(c);
  };
  if (!word.empty() && llvm::all_of(word, isPlain)) {
    return word.str();
  }
  std::string text = "'";
  for (char c : word) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + "'";
}

} // namespace convoy::driver
