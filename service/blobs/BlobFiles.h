// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names and sizes of the files of a blob store, for its source files.

#pragma once

#include "service/blobs/BlobStore.h"
#include <sys/stat.h>

namespace convoy::service {

inline constexpr char kPartSuffix[] = ".part";
inline constexpr char kLibrarySuffix[] = ".library";

inline llvm::Error blobError(BlobProblem problem, const llvm::Twine &text) {
  return llvm::make_error<BlobError>(problem, text.str());
}

/// Returns the size of a file; nothing if it does not exist.
inline std::optional<int64_t> fileBytes(const std::string &path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return status.st_size;
}

} // namespace convoy::service
