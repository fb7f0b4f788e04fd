// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files in and out, with errors that name path and reason.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::io {

/// An error about what a file or flag holds.
llvm::Error fileError(const llvm::Twine &text);

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(llvm::StringRef path);

/// Replaces the file.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

/// Lines of a text file, without line ends.
llvm::Expected<std::vector<std::string>> readLines(llvm::StringRef path);

} // namespace convoy::io
