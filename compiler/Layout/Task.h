// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key that measurements of a kernel are found by: its meaning, apart from how it is
// run. The canonical text holds operation, shape, element types, epilogue, math mode and
// threads, and never a layout: a model exported in another layout asks for the same tasks.
// CanonicalTask.h writes the text of a kernel; the tuner reads it back.

#pragma once

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <array>
#include <cstdint>
#include <string>

namespace convoy::layout {

struct TaskSettings {
  /// Keep to direct algorithms.
  bool isStrictMath = false;
  int64_t threads = 1;
};

struct Task {
  /// Canonical: equal tasks have equal text, on every machine.
  std::string text;
  /// "conv 3x3 64x56x56 -> 64x56x56 relu": for people; no part of the key.
  std::string name;

  /// SHA-256 of the text, 64 hexadecimal digits.
  std::string key() const {
    std::array<uint8_t, 32> digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
    return llvm::toHex(digest, /*LowerCase=*/true);
  }

  friend bool operator==(const Task &a, const Task &b) { return a.text == b.text; }
};

} // namespace convoy::layout
