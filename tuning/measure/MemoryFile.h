// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that another process opens by a path, without a disk: a library that was built
// in memory.

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

  /// Valid as long as this object lives, for processes of the same user.
  std::string path() const;

private:
  explicit MemoryFile(int file) : file(file) {}
  int file;
};

} // namespace convoy::tuning
