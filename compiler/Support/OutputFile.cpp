// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An unwritable file is a user error: the message names the path, the reason and the remedy.

#include "Support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace fs = llvm::sys::fs;

namespace convoy {
namespace {

const char *remedyOf(std::error_code reason) {
  if (reason == std::errc::no_space_on_device || reason.value() == EDQUOT) {
    return "; free space or choose another folder";
  }
  if (reason == std::errc::file_too_large) {
    return "; raise the limit on file sizes (ulimit -f)";
  }
  if (reason == std::errc::permission_denied || reason == std::errc::read_only_file_system) {
    return "; choose a folder with write permission";
  }
  return "";
}

} // namespace

llvm::Error createFolder(llvm::StringRef path) {
  // LLVM's default leaves out all permissions of other users.
  std::error_code error = fs::create_directories(path, /*IgnoreExisting=*/true, fs::all_all);
  return error ? cannotWrite(path, error) : llvm::Error::success();
}

llvm::Error createParentFolder(llvm::StringRef path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? llvm::Error::success() : createFolder(folder);
}

llvm::Error cannotWrite(llvm::StringRef path, std::error_code reason) {
  return llvm::createStringError(reason, "cannot write '" + path + "': " + reason.message() +
                                             remedyOf(reason));
}

llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)> print) {
  if (llvm::Error error = createParentFolder(path)) {
    return error;
  }
  std::error_code reason;
  llvm::raw_fd_ostream stream(path, reason);
  if (reason) {
    return cannotWrite(path, reason);
  }
  llvm::Error error = print(stream);
  stream.close();
  reason = stream.error();
  stream.clear_error(); // or the destructor ends the program
  if (error) {
    return error;
  }
  return reason ? cannotWrite(path, reason) : llvm::Error::success();
}

llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  return writeFile(path, [&](llvm::raw_fd_ostream &stream) {
    stream << bytes;
    return llvm::Error::success();
  });
}

} // namespace convoy
