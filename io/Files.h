// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads whole files. Errors name the path and the reason.

#pragma once

#include "Support/OutputFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::io {

/// Returns an error about the content of a file or the value of a flag.
llvm::Error fileError(const llvm::Twine &text);

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(llvm::StringRef path);

using convoy::writeFile;

/// Reads the lines of a text file, without line ends.
llvm::Expected<std::vector<std::string>> readLines(llvm::StringRef path);

} // namespace convoy::io
