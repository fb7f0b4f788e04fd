// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates output files and their folders. Every writer of the compiler and of its tools uses
// these functions, so that permissions and error messages are the same everywhere. Files that
// belong together are an OutputSet.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <system_error>

namespace convoy {

using PrintFunction = llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)>;

/// Creates a folder and its parents with the permissions of the umask.
llvm::Error createFolder(llvm::StringRef path);

/// Creates the folder that the file `path` is in.
llvm::Error createParentFolder(llvm::StringRef path);

/// Returns the error "cannot write '<path>': <reason>; <remedy>".
llvm::Error cannotWrite(llvm::StringRef path, std::error_code reason);

/// Returns errno as an error code.
std::error_code lastError();

/// Returns a name ".convoy-<16 random digits>" for a temporary file or folder, and whether a name
/// has this form.
std::string randomName();
bool isRandomName(llvm::StringRef name);

/// Replaces the file with what `print` writes. Creates missing folders. The file changes only if
/// `print` succeeds, in one step; a symbolic link in its place is replaced.
llvm::Error writeFile(llvm::StringRef path, PrintFunction print);
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

/// Creates the file with what `print` writes; a file or link of this name is an error. Errors name
/// the path `shown`.
llvm::Error writeNewFile(llvm::StringRef path, llvm::StringRef shown, PrintFunction print);

/// Calls `print`, closes the stream and returns the error of either, which names the path.
llvm::Error printTo(llvm::raw_fd_ostream &stream, llvm::StringRef path, PrintFunction print);

} // namespace convoy
