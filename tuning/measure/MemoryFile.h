// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file in memory that another process can open by its path. It holds a library that was
// built in memory.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace convoy::tuning {

class MemoryFile {
public:
  static llvm::Expected<MemoryFile> create(llvm::StringRef bytes);
  MemoryFile(MemoryFile &&other) noexcept;
  MemoryFile &operator=(MemoryFile &&) = delete;
  ~MemoryFile();

  /// Returns a path that is valid during the lifetime of this object, for processes of the
  /// same user.
  std::string path() const;

private:
  explicit MemoryFile(int file) : file(file) {}
  int file;
};

} // namespace convoy::tuning
