// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The temporary folder is in the folder of the files, because rename() does not leave a file
// system. A lock on the folder of the files serializes the renames of several processes. If the
// files are in a temporary folder, its owner holds that lock already, and no other process writes
// there.

#include "Support/OutputSet.h"
#include "llvm/ADT/ScopeExit.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace convoy {
namespace {

/// Writes the bytes of a file or the entries of a folder to the disk.
std::error_code syncPath(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return lastError();
  }
  std::error_code error = fsync(file) == 0 ? std::error_code() : lastError();
  close(file);
  // Some file systems cannot sync a folder.
  return error == std::errc::invalid_argument ? std::error_code() : error;
}

} // namespace

llvm::Error OutputSet::create(llvm::StringRef parent) {
  folder = parent.empty() ? "." : parent.str();
  if (llvm::Error error = createFolder(folder)) {
    return error;
  }
  removeAbandonedFolders(folder);
  return staging.create(folder);
}

std::string OutputSet::add(llvm::StringRef path) {
  // No name for temporary() starts with a dot.
  files.push_back({staging.file(".out-" + llvm::Twine(files.size())), path.str(), ""});
  return files.back().staged;
}

llvm::Error OutputSet::write(llvm::StringRef path, PrintFunction print) {
  return writeNewFile(add(path), path, print);
}

llvm::Error OutputSet::write(llvm::StringRef path, llvm::StringRef bytes) {
  return write(path, [&](llvm::raw_fd_ostream &stream) {
    stream << bytes;
    return llvm::Error::success();
  });
}

void OutputSet::keepEarlier(llvm::StringRef path, const llvm::Twine &name) {
  for (File &file : files) {
    if (file.path == path) {
      file.earlier = inFolder(llvm::sys::path::parent_path(path), name);
    }
  }
}

llvm::Error OutputSet::commit(bool syncs) {
  for (const File &file : files) {
    if (llvm::Error error = createParentFolder(file.path)) {
      return error;
    }
  }
  if (llvm::Error error = syncs ? sync() : llvm::Error::success()) {
    return error;
  }
  bool isTemporary = isRandomName(llvm::sys::path::filename(folder));
  int lock = isTemporary ? -1 : open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  auto unlock = llvm::make_scope_exit([&] {
    if (lock >= 0) {
      close(lock);
    }
  });
  while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR) {
  }
  for (const File &file : files) {
    if (fs::is_directory(file.path)) { // the one likely reason why a rename fails
      return cannotWrite(file.path, std::make_error_code(std::errc::is_a_directory));
    }
  }
  if (llvm::Error error = rename()) {
    return error;
  }
  std::error_code error = syncs ? syncPath(folder) : std::error_code();
  return error ? cannotWrite(folder, error) : llvm::Error::success();
}

llvm::Error OutputSet::sync() const {
  for (const File &file : files) {
    if (std::error_code error = syncPath(file.staged)) {
      return cannotWrite(file.path, error);
    }
  }
  return llvm::Error::success();
}

llvm::Error OutputSet::rename() const {
  for (const File &file : files) {
    if (!file.earlier.empty()) {
      // Without an earlier file, or on a file system without links, there is nothing to keep.
      unlink(file.earlier.c_str());
      (void)!link(file.path.c_str(), file.earlier.c_str());
    }
  }
  for (const File &file : files) {
    if (std::error_code error = fs::rename(file.staged, file.path)) {
      return cannotWrite(file.path, error);
    }
  }
  for (const File &file : files) {
    if (!file.earlier.empty()) {
      unlink(file.earlier.c_str());
    }
  }
  return llvm::Error::success();
}

} // namespace convoy
