// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of entries, each a folder of files under a key, with a limit of their size. `convoy run`
// keeps compiled models in it. Several processes may use one folder: an entry is written aside and
// renamed, so that no process sees a part of it.

#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace convoy::io {

class CacheFolder {
public:
  CacheFolder(std::string folder, int64_t limitBytes)
      : folder(std::move(folder)), limitBytes(limitBytes) {}

  /// Returns the path of an entry and marks the entry as used; nothing if there is none.
  std::optional<std::string> find(const std::string &key) const;

  /// Creates a folder for the files of a new entry. Call commit() or discard() for it.
  llvm::Expected<std::string> begin() const;

  /// Makes the files an entry and removes the entries that were not used for the longest time,
  /// until the limit holds. Returns the path of the entry, which another process may have written.
  llvm::Expected<std::string> commit(const std::string &written, const std::string &key) const;

  static void discard(const std::string &path);

private:
  void removeOld(const std::string &kept) const;

  std::string folder;
  int64_t limitBytes;
};

} // namespace convoy::io
