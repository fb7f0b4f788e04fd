// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folder names are random, so that two compilations do not use the same folder. A process holds a
// lock on each of its folders; a folder without a lock is what an ended process left.

#include "Support/TemporaryFolder.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace convoy {
namespace {

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool isSame(int file, const std::string &path) {
  struct stat opened{}, named{};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// Opens and locks a folder that another process may remove. Returns -1 without a lock, for example
/// on a network file system that has no locks. `operation` is that of flock().
int lockFolder(const std::string &path, int operation) {
  int file = open(path.c_str(), kOpenFolder);
  bool isHeld = file >= 0 && flock(file, operation) == 0 && isSame(file, path);
  if (!isHeld && file >= 0) {
    close(file);
  }
  return isHeld ? file : -1;
}

bool isOwn(const std::string &path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

} // namespace

std::string inFolder(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

TemporaryFolder::~TemporaryFolder() {
  if (!folder.empty()) {
    // An error here has no remedy, so it is ignored.
    [[maybe_unused]] std::error_code error = fs::remove_directories(folder);
  }
  if (lock >= 0) {
    close(lock);
  }
}

llvm::Error TemporaryFolder::create(llvm::StringRef parent) {
  // Another process may remove the folder before it is locked.
  constexpr int kTries = 8;
  for (int tries = 0; tries < kTries && (folder.empty() || !fs::exists(folder)); ++tries) {
    std::string made = inFolder(parent, randomName());
    if (std::error_code error =
            fs::create_directory(made, /*IgnoreExisting=*/false, fs::owner_all)) {
      return cannotWrite(made, error);
    }
    lock = lockFolder(made, LOCK_EX);
    folder = std::move(made);
  }
  return llvm::Error::success();
}

llvm::Error TemporaryFolder::createInSystem() {
  llvm::SmallString<128> parent;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  return create(parent);
}

void removeAbandonedFolders(llvm::StringRef parent) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator it(parent, error, /*follow_symlinks=*/false), end;
       !error && it != end; it.increment(error)) {
    if (isRandomName(llvm::sys::path::filename(it->path()))) {
      found.push_back(it->path());
    }
  }
  for (const std::string &path : found) {
    int lock = isOwn(path) ? lockFolder(path, LOCK_EX | LOCK_NB) : -1;
    if (lock >= 0) {
      error = fs::remove_directories(path);
      close(lock);
    }
  }
}

} // namespace convoy
