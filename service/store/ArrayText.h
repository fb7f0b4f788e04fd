// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats a column of values as the text of a PostgreSQL array. A statement that unnests one array
// per column inserts many rows in one round trip.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace convoy::service::store {

/// Returns the text without NUL and with a replacement character for each invalid byte of
/// UTF-8: PostgreSQL refuses both. Messages of crashed programs may contain them.
std::string storableText(llvm::StringRef text);

class ArrayText {
public:
  void add(llvm::StringRef value);
  void add(const char *value) { add(llvm::StringRef(value)); }
  void add(int64_t value);
  void add(int value) { add(static_cast<int64_t>(value)); }
  void add(double value);

  /// Returns "{...}".
  std::string str() const { return "{" + values + "}"; }

private:
  void separate();

  std::string values;
};

} // namespace convoy::service::store
