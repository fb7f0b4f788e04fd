// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key under which measurements of a kernel are stored. The key describes what the kernel
// computes, not how it runs. The canonical text contains operation, shapes, element types,
// epilogue, math mode and number of threads, but no layouts. Models that differ only in layouts
// therefore share tasks. CanonicalTask.h writes the text; the tuner parses it.

#pragma once

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <array>
#include <cstdint>
#include <string>

namespace convoy::layout {

struct TaskSettings {
  /// Use only direct algorithms.
  bool isStrictMath = false;
  int64_t threads = 1;
};

struct Task {
  /// Canonical text: equal tasks have equal text on every machine.
  std::string text;
  /// A readable name, for example "conv 3x3 64x56x56 -> 64x56x56 relu"; not part of the key.
  std::string name;

  /// Returns the SHA-256 of the text as 64 hexadecimal digits.
  std::string key() const {
    std::array<uint8_t, 32> digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
    return llvm::toHex(digest, /*LowerCase=*/true);
  }

  friend bool operator==(const Task &a, const Task &b) { return a.text == b.text; }
};

} // namespace convoy::layout
