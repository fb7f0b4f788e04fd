// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates output files and their folders. Every writer of the compiler and of its tools uses
// these functions, so that permissions and error messages are the same everywhere.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy {

/// Creates a folder and its parents with the permissions of the umask.
llvm::Error createFolder(llvm::StringRef path);

/// Creates the folder that the file `path` is in.
llvm::Error createParentFolder(llvm::StringRef path);

/// Returns the error "cannot write '<path>': <reason>; <remedy>".
llvm::Error cannotWrite(llvm::StringRef path, std::error_code reason);

/// Replaces the file with what `print` writes. Creates missing folders.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)> print);
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

} // namespace convoy
