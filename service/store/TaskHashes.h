// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers the keys of the last used task texts. Thousands of trials have the same few texts of
// some kilobytes, and a SHA-256 of each costs more than the rest of a record. Not thread-safe.

#pragma once

#include "tuning/records/Record.h"
#include "llvm/ADT/StringMap.h"

namespace convoy::service::store {

class TaskHashes {
public:
  /// Returns tuning::taskHash(text).
  const std::string &of(llvm::StringRef text) {
    if (known.size() >= kMostTexts && !known.contains(text)) {
      known.clear();
    }
    std::string &hash = known[text];
    if (hash.empty()) {
      hash = tuning::taskHash(text);
    }
    return hash;
  }

private:
  static constexpr size_t kMostTexts = 1024; // some megabytes
  llvm::StringMap<std::string> known;        // by text
};

} // namespace convoy::service::store
