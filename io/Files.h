// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads whole files, with errors that name the path and the reason.

#pragma once

#include "Support/OutputFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::io {

/// An error about what a file or flag holds.
llvm::Error fileError(const llvm::Twine &text);

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(llvm::StringRef path);

using convoy::writeFile;

/// Lines of a text file, without line ends.
llvm::Expected<std::vector<std::string>> readLines(llvm::StringRef path);

} // namespace convoy::io
