// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses memfd_create and the path under /proc.

#include "MemoryFile.h"
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace convoy::tuning {

llvm::Expected<MemoryFile> MemoryFile::create(llvm::StringRef bytes) {
  MemoryFile result(memfd_create("convoy-candidate", MFD_CLOEXEC));
  while (result.file >= 0 && !bytes.empty()) {
    ssize_t count = write(result.file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      break;
    }
    bytes = bytes.drop_front(count > 0 ? static_cast<size_t>(count) : 0);
  }
  if (result.file < 0 || !bytes.empty()) {
    return llvm::createStringError("cannot create a file in memory: " +
                                   std::generic_category().message(errno));
  }
  return result;
}

MemoryFile::MemoryFile(MemoryFile &&other) noexcept : file(std::exchange(other.file, -1)) {}

MemoryFile::~MemoryFile() {
  if (file >= 0) {
    close(file);
  }
}

std::string MemoryFile::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
}

} // namespace convoy::tuning
