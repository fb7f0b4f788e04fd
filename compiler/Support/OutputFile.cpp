// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An unwritable file is a user error: the message names the path, the reason and the remedy. A
// file is written under a random name in the same folder and then renamed, so that a reader never
// sees a part of it and a symbolic link at its place is replaced, not followed.

#include "Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

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

/// Returns whether a new file may take the place of the path: it is free, a file or a link. A
/// device or a FIFO that the user names is opened instead; /dev and /proc contain links to them.
bool isReplaceable(const std::string &path) {
  struct stat status{};
  bool isSpecial =
      llvm::StringRef(path).starts_with("/dev/") || llvm::StringRef(path).starts_with("/proc/");
  return !isSpecial &&
         (lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISLNK(status.st_mode));
}

llvm::Error writeDirectly(llvm::StringRef path, PrintFunction print) {
  std::error_code reason;
  llvm::raw_fd_ostream stream(path, reason);
  return reason ? cannotWrite(path, reason) : printTo(stream, path, print);
}

} // namespace

std::error_code lastError() { return {errno, std::generic_category()}; }

std::string randomName() {
  std::random_device random; // of the system: another user cannot predict the name
  std::string name = ".convoy-";
  for (int word = 0; word < 2; ++word) {
    std::string digits = llvm::utohexstr(random(), /*LowerCase=*/true);
    name += std::string(8 - digits.size(), '0') + digits;
  }
  return name;
}

bool isRandomName(llvm::StringRef name) {
  return name.consume_front(".convoy-") && name.size() == 16 &&
         llvm::all_of(name, [](char c) { return llvm::isDigit(c) || (c >= 'a' && c <= 'f'); });
}

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

llvm::Error printTo(llvm::raw_fd_ostream &stream, llvm::StringRef path, PrintFunction print) {
  llvm::Error error = print(stream);
  stream.close();
  std::error_code reason = stream.error();
  stream.clear_error(); // or the destructor ends the program
  if (error) {
    return error;
  }
  return reason ? cannotWrite(path, reason) : llvm::Error::success();
}

llvm::Error writeNewFile(llvm::StringRef path, llvm::StringRef shown, PrintFunction print) {
  constexpr mode_t kFileMode = 0666; // less the umask
  int file =
      open(path.str().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode);
  if (file < 0) {
    return cannotWrite(shown, lastError());
  }
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  return printTo(stream, shown, print);
}

llvm::Error writeFile(llvm::StringRef path, PrintFunction print) {
  if (llvm::Error error = createParentFolder(path)) {
    return error;
  }
  if (!isReplaceable(path.str())) {
    return writeDirectly(path, print);
  }
  llvm::SmallString<128> aside = llvm::sys::path::parent_path(path);
  llvm::sys::path::append(aside, randomName());
  llvm::Error error = writeNewFile(aside, path, print);
  if (!error) {
    std::error_code reason = fs::rename(aside, path);
    error = reason ? cannotWrite(path, reason) : llvm::Error::success();
  }
  if (error) {
    [[maybe_unused]] std::error_code ignored = fs::remove(aside); // it may not exist
  }
  return error;
}

llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  return writeFile(path, [&](llvm::raw_fd_ostream &stream) {
    stream << bytes;
    return llvm::Error::success();
  });
}

} // namespace convoy
