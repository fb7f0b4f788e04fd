// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps external weights into memory. openat2 with RESOLVE_BENEATH and
// RESOLVE_NO_SYMLINKS rejects paths that leave the model's directory. The
// mapping also rejects a file with several hard links, because its content may
// belong to another directory.

#include "Import/TensorProto.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace convoy::import {
namespace {

/// Closes a file descriptor at the end of its scope.
struct Descriptor {
  int fd;
  explicit Descriptor(int fd) : fd(fd) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (fd >= 0) {
      close(fd);
    }
  }
};

llvm::Error refuse(llvm::StringRef location, const llvm::Twine &why,
                   std::error_code code = std::make_error_code(std::errc::invalid_argument)) {
  return llvm::createStringError(code, "external data '" + location + "': " + why);
}

llvm::Error refuse(llvm::StringRef location, int systemError) {
  return refuse(location, std::strerror(systemError),
                std::error_code(systemError, std::generic_category()));
}

llvm::Error explainOpenError(llvm::StringRef location, int error) {
  if (error == EXDEV || error == ELOOP) {
    return refuse(location, "the path leaves the model's directory or contains a symbolic link; "
                            "copy the file into the model's directory");
  }
  if (error == ENOENT) {
    return refuse(location,
                  llvm::Twine(std::strerror(error)) + "; copy the file into the model's directory",
                  std::error_code(error, std::generic_category()));
  }
  return refuse(location, error);
}

llvm::Error checkFile(llvm::StringRef location, const struct stat &status, int64_t offset,
                      int64_t length) {
  if (!S_ISREG(status.st_mode)) {
    return refuse(location, "the path is not a regular file");
  }
  if (status.st_nlink > 1) {
    return refuse(location, "the file has more than one hard link and may belong to another "
                            "directory; replace it by a copy");
  }
  if (offset > status.st_size || length > status.st_size - offset) {
    return refuse(location, "expected " + llvm::Twine(length) + " bytes at offset " +
                                llvm::Twine(offset) + ", but the file size is " +
                                llvm::Twine(static_cast<int64_t>(status.st_size)));
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Tensor> mapExternalData(llvm::StringRef directory, llvm::StringRef location,
                                       int64_t offset, int64_t length, ElementType type,
                                       llvm::ArrayRef<int64_t> shape) {
  if (directory.empty()) {
    return refuse(location,
                  "the model was not read from a file, so external data has no directory");
  }
  if (location.empty() || location.contains('\0')) {
    return refuse(location, "the location is not a file name");
  }
  Descriptor root(open(directory.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.fd < 0) {
    return explainOpenError(location, errno);
  }
  struct open_how how = {};
  // Without O_NONBLOCK, opening a named pipe would block until a writer opens
  // it.
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  Descriptor file(
      static_cast<int>(syscall(SYS_openat2, root.fd, location.str().c_str(), &how, sizeof(how))));
  if (file.fd < 0) {
    return explainOpenError(location, errno);
  }
  struct stat status = {};
  if (fstat(file.fd, &status) != 0) {
    return refuse(location, errno);
  }
  if (llvm::Error error = checkFile(location, status, offset, length)) {
    return error;
  }
  if (length == 0) {
    return Tensor(type, shape);
  }
  int64_t page = sysconf(_SC_PAGESIZE);
  int64_t begin = offset / page * page;
  size_t bytes = static_cast<size_t>(offset - begin + length);
  void *base = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.fd, begin);
  if (base == MAP_FAILED) {
    return refuse(location, errno);
  }
  std::shared_ptr<const void> owner(base, [bytes](void *p) { munmap(p, bytes); });
  return Tensor::view(type, shape, static_cast<const char *>(base) + (offset - begin), owner);
}

} // namespace convoy::import
