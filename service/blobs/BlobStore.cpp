// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A blob is the file <folder>/<first two digits>/<name>, with the suffix .library if it is one. An
// upload grows <name>.part, which one process locks at a time. The store verifies the hash, writes
// the file to the disk and renames it, so a readable blob is always complete. The time of the last
// use is the modification time of the file. Any process may remove files (BlobCollection.cpp).

#include "service/blobs/BlobStore.h"
#include "service/blobs/BlobFiles.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace convoy::service {

char BlobError::ID = 0;

namespace {

namespace fs = std::filesystem;

llvm::Error systemError(const llvm::Twine &what) {
  bool isFull = errno == ENOSPC || errno == EDQUOT;
  return blobError(isFull ? BlobProblem::Full : BlobProblem::Io,
                   what + ": " + std::generic_category().message(errno));
}

/// Returns false if the file does not exist: another process may have removed it.
bool markUsed(const std::string &path) {
  return utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0 || errno != ENOENT;
}

llvm::Error busy(llvm::StringRef name) {
  return blobError(BlobProblem::Busy, "another upload of the blob " + name + " is running");
}

llvm::Expected<std::string> hashOfFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    errno = buffer.getError().value();
    return systemError("cannot read '" + path + "'");
  }
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef((*buffer)->getBuffer())),
                     /*LowerCase=*/true);
}

bool writeAll(int file, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes = bytes.drop_front(count > 0 ? static_cast<size_t>(count) : 0);
  }
  return true;
}

} // namespace

/// The file of an upload, locked by this process.
struct BlobStore::Part {
  Part() = default;
  Part(Part &&other) noexcept : path(std::move(other.path)), file(std::exchange(other.file, -1)) {}
  ~Part() {
    if (file >= 0) {
      close(file); // gives the lock back
    }
  }
  std::string path;
  int file = -1;
};

bool isBlobName(llvm::StringRef name) {
  return name.size() == 64 && llvm::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string BlobStore::pathOf(llvm::StringRef name, BlobKind kind) const {
  return (options.folder + "/" + name.take_front(2) + "/" + name +
          (kind == BlobKind::Library ? kLibrarySuffix : ""))
      .str();
}

std::optional<std::pair<std::string, int64_t>> BlobStore::locate(llvm::StringRef name) const {
  if (isBlobName(name)) {
    for (BlobKind kind : {BlobKind::Data, BlobKind::Library}) {
      std::string path = pathOf(name, kind);
      if (std::optional<int64_t> bytes = fileBytes(path)) {
        return std::pair(std::move(path), *bytes);
      }
    }
  }
  return std::nullopt;
}

llvm::Expected<std::unique_ptr<BlobStore>> BlobStore::open(BlobStoreOptions options) {
  std::error_code error;
  fs::create_directories(options.folder, error);
  std::unique_ptr<BlobStore> store(new BlobStore(std::move(options)));
  const std::string &folder = store->options.folder;
  for (int i = 0; i < 256 && !error; ++i) {
    fs::create_directory(folder + "/" + llvm::formatv("{0:x-2}", i).str(), error);
  }
  if (error) {
    return blobError(BlobProblem::Io,
                     "cannot create the blob folder '" + folder + "': " + error.message());
  }
  store->count();
  return store;
}

llvm::Expected<std::string> BlobStore::put(llvm::StringRef bytes, BlobKind kind) {
  std::string name =
      llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)), /*LowerCase=*/true);
  if (find(name)) {
    return name;
  }
  llvm::Error error =
      receive(name, 0, /*isLast=*/true, [&](Append append) { return append(bytes); }, kind);
  if (error) {
    return std::move(error);
  }
  return name;
}

llvm::Error BlobStore::receive(llvm::StringRef name, int64_t offset, bool isLast,
                               llvm::function_ref<bool(Append)> write, BlobKind kind) {
  if (!isBlobName(name)) {
    return blobError(BlobProblem::InvalidName,
                     "the name of a blob is a SHA-256 of 64 hexadecimal digits, got '" +
                         name.take_front(80) + "'");
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!uploads.insert(name).second) {
      return busy(name);
    }
  }
  auto release = llvm::make_scope_exit([&] {
    std::lock_guard<std::mutex> lock(mutex);
    uploads.erase(name);
  });
  llvm::Expected<Part> part = openPart(name.str(), offset);
  if (!part) {
    return part.takeError();
  }
  if (llvm::Error error = writePart(*part, name.str(), offset, write)) {
    return error;
  }
  return isLast ? finish(*part, name.str(), kind) : llvm::Error::success();
}

llvm::Expected<BlobStore::Part> BlobStore::openPart(const std::string &name, int64_t offset) {
  Part part;
  part.path = pathOf(name) + kPartSuffix;
  part.file = ::open(part.path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (part.file < 0) {
    return systemError("cannot create '" + part.path + "'");
  }
  // Another process may have published or removed the file between open() and flock().
  struct stat opened{}, named{};
  bool isOwn = flock(part.file, LOCK_EX | LOCK_NB) == 0 && fstat(part.file, &opened) == 0 &&
               stat(part.path.c_str(), &named) == 0 && opened.st_ino == named.st_ino;
  if (!isOwn) {
    return busy(name);
  }
  int64_t held = opened.st_size;
  if (offset != 0 && offset != held) {
    return blobError(BlobProblem::WrongOffset,
                     llvm::formatv("the upload of the blob {0} continues at byte {1}, but the "
                                   "store has {2} bytes; continue there",
                                   name, offset, held));
  }
  if (offset == 0 && held > 0) {
    if (ftruncate(part.file, 0) != 0) {
      return systemError("cannot write '" + part.path + "'");
    }
    std::lock_guard<std::mutex> lock(mutex);
    total -= held;
  }
  return part;
}

llvm::Error BlobStore::writePart(Part &part, const std::string &name, int64_t offset,
                                 llvm::function_ref<bool(Append)> write) {
  int64_t size = offset;
  llvm::Error problem = llvm::Error::success();
  llvm::ErrorAsOutParameter isOut(&problem);
  bool isWhole = write([&](llvm::StringRef bytes) {
    auto count = static_cast<int64_t>(bytes.size());
    if (size + count > options.maxBlobBytes) {
      problem = blobError(
          BlobProblem::TooLarge,
          llvm::formatv("the blob {0} exceeds the limit of {1} bytes", name, options.maxBlobBytes));
      return false;
    }
    problem = makeSpace(count);
    if (problem) {
      return false;
    }
    if (!writeAll(part.file, bytes)) {
      problem = systemError("cannot write '" + part.path + "'");
      return false;
    }
    size += count;
    std::lock_guard<std::mutex> lock(mutex);
    total += count;
    return true;
  });
  if (problem) {
    return problem;
  }
  if (!isWhole) {
    return blobError(BlobProblem::Io, "the upload of the blob " + name + " was interrupted");
  }
  return llvm::Error::success();
}

llvm::Error BlobStore::finish(Part &part, const std::string &name, BlobKind kind) {
  llvm::Expected<std::string> hash = hashOfFile(part.path);
  if (!hash) {
    return hash.takeError();
  }
  int64_t bytes = fileBytes(part.path).value_or(0);
  if (*hash != name) {
    unlink(part.path.c_str());
    std::lock_guard<std::mutex> lock(mutex);
    total -= bytes;
    return blobError(BlobProblem::WrongHash, "the bytes of the blob " + name +
                                                 " have the SHA-256 " + *hash +
                                                 "; upload the blob again");
  }
  std::string path = pathOf(name, kind);
  int64_t replaced = fileBytes(path).value_or(0);
  // After a crash of the machine, a readable blob must still be complete.
  if (fsync(part.file) != 0 || rename(part.path.c_str(), path.c_str()) != 0) {
    return systemError("cannot create '" + path + "'");
  }
  std::lock_guard<std::mutex> lock(mutex);
  total -= replaced;
  return llvm::Error::success();
}

int64_t BlobStore::receivedBytes(llvm::StringRef name) const {
  return isBlobName(name) ? fileBytes(pathOf(name) + kPartSuffix).value_or(0) : 0;
}

std::optional<int64_t> BlobStore::find(llvm::StringRef name) {
  auto found = locate(name);
  if (!found || !markUsed(found->first)) {
    return std::nullopt;
  }
  return found->second;
}

llvm::Expected<std::string> BlobStore::path(llvm::StringRef name) {
  auto found = locate(name);
  if (!found || !markUsed(found->first)) {
    return blobError(BlobProblem::NotFound, "there is no blob " + name.take_front(80));
  }
  return found->first;
}

llvm::Expected<std::string> BlobStore::read(llvm::StringRef name) {
  llvm::Expected<std::string> file = path(name);
  if (!file) {
    return file.takeError();
  }
  auto buffer = llvm::MemoryBuffer::getFile(*file);
  if (!buffer && buffer.getError() == std::errc::no_such_file_or_directory) {
    return blobError(BlobProblem::NotFound, "there is no blob " + name);
  }
  if (!buffer) {
    errno = buffer.getError().value();
    return systemError("cannot read '" + *file + "'");
  }
  return (*buffer)->getBuffer().str();
}

int64_t BlobStore::totalBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return total;
}

} // namespace convoy::service
