// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the opening of a file that may be shorter than the limit. llvm::MemoryBuffer::getFileSlice
// maps bytes behind the end of a short file, and reading them ends the process.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <string>

namespace convoy::io {

/// Returns at most `limit` bytes. Errors are the reason without the path.
inline llvm::Expected<std::string> readOpening(const std::string &path, size_t limit) {
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file) {
    return file.takeError();
  }
  std::string bytes(limit, '\0');
  size_t done = 0;
  llvm::Expected<size_t> count = 0;
  while (done < limit &&
         (count = llvm::sys::fs::readNativeFile(*file, {bytes.data() + done, limit - done})) &&
         *count > 0) {
    done += *count;
  }
  std::error_code closing = llvm::sys::fs::closeFile(*file);
  if (!count) {
    return count.takeError();
  }
  if (closing) {
    return llvm::errorCodeToError(closing);
  }
  bytes.resize(done);
  return bytes;
}

} // namespace convoy::io
