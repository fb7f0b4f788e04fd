// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks paths that a reader opens whole.

#pragma once

#include "llvm/Support/FileSystem.h"

namespace convoy {

/// Returns whether the path is a device such as /dev/zero, which has no end.
inline bool isDevice(const llvm::Twine &path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         (status.type() == llvm::sys::fs::file_type::character_file ||
          status.type() == llvm::sys::fs::file_type::block_file);
}

} // namespace convoy
