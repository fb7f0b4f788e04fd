// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A blob is the file <folder>/<first two digits>/<name>. An upload grows <name>.part, which is
// renamed after its hash was verified, so a readable blob is always complete. The time of the
// last use is the modification time of the file.

#include "service/blobs/BlobStore.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace convoy::service {

char BlobError::ID = 0;

namespace {

namespace fs = std::filesystem;

constexpr char kPartSuffix[] = ".part";

llvm::Error blobError(BlobProblem problem, const llvm::Twine &text) {
  return llvm::make_error<BlobError>(problem, text.str());
}

llvm::Error systemError(const llvm::Twine &what) {
  bool isFull = errno == ENOSPC || errno == EDQUOT;
  return blobError(isFull ? BlobProblem::Full : BlobProblem::Io,
                   what + ": " + std::generic_category().message(errno));
}

std::optional<int64_t> fileBytes(const std::string &path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return status.st_size;
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

bool isBlobName(llvm::StringRef name) {
  return name.size() == 64 && llvm::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string BlobStore::pathOf(llvm::StringRef name) const {
  return (options.folder + "/" + name.take_front(2) + "/" + name).str();
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
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder, error)) {
    store->total += fileBytes(entry.path().string()).value_or(0);
  }
  if (error) {
    return blobError(BlobProblem::Io,
                     "cannot read the blob folder '" + folder + "': " + error.message());
  }
  return store;
}

llvm::Expected<std::string> BlobStore::put(llvm::StringRef bytes) {
  std::string name =
      llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)), /*LowerCase=*/true);
  if (find(name)) {
    return name;
  }
  llvm::Error error =
      receive(name, 0, /*isLast=*/true, [&](Append append) { return append(bytes); });
  if (error) {
    return std::move(error);
  }
  return name;
}

llvm::Error BlobStore::receive(llvm::StringRef name, int64_t offset, bool isLast,
                               llvm::function_ref<bool(Append)> write) {
  if (!isBlobName(name)) {
    return blobError(BlobProblem::InvalidName,
                     "the name of a blob is a SHA-256 of 64 hexadecimal digits, got '" +
                         name.take_front(80) + "'");
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!uploads.insert(name).second) {
      return blobError(BlobProblem::Busy, "another upload of the blob " + name + " is running");
    }
  }
  auto release = llvm::make_scope_exit([&] {
    std::lock_guard<std::mutex> lock(mutex);
    uploads.erase(name);
  });
  return writePart(name.str(), offset, isLast, write);
}

llvm::Error BlobStore::writePart(const std::string &name, int64_t offset, bool isLast,
                                 llvm::function_ref<bool(Append)> write) {
  std::string part = pathOf(name) + kPartSuffix;
  int64_t held = fileBytes(part).value_or(0);
  if (offset != 0 && offset != held) {
    return blobError(BlobProblem::WrongOffset,
                     llvm::formatv("the upload of the blob {0} continues at byte {1}, but the "
                                   "store has {2} bytes; continue there",
                                   name, offset, held));
  }
  int file = ::open(part.c_str(),
                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (offset ? 0 : O_TRUNC), 0600);
  if (file < 0) {
    return systemError("cannot create '" + part + "'");
  }
  if (offset == 0) {
    std::lock_guard<std::mutex> lock(mutex);
    total -= held;
  }
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
    if ((problem = makeSpace(count))) {
      return false;
    }
    if (!writeAll(file, bytes)) {
      problem = systemError("cannot write '" + part + "'");
      return false;
    }
    size += count;
    std::lock_guard<std::mutex> lock(mutex);
    total += count;
    return true;
  });
  close(file);
  if (problem) {
    return problem;
  }
  if (!isWhole) {
    return blobError(BlobProblem::Io, "the upload of the blob " + name + " was interrupted");
  }
  return isLast ? finish(name, part) : llvm::Error::success();
}

llvm::Error BlobStore::finish(const std::string &name, const std::string &part) {
  llvm::Expected<std::string> hash = hashOfFile(part);
  if (!hash) {
    return hash.takeError();
  }
  int64_t bytes = fileBytes(part).value_or(0);
  if (*hash != name) {
    unlink(part.c_str());
    std::lock_guard<std::mutex> lock(mutex);
    total -= bytes;
    return blobError(BlobProblem::WrongHash, "the bytes of the blob " + name +
                                                 " have the SHA-256 " + *hash +
                                                 "; upload the blob again");
  }
  std::string path = pathOf(name);
  int64_t replaced = fileBytes(path).value_or(0);
  if (rename(part.c_str(), path.c_str()) != 0) {
    return systemError("cannot create '" + path + "'");
  }
  std::lock_guard<std::mutex> lock(mutex);
  total -= replaced;
  return llvm::Error::success();
}

llvm::Error BlobStore::makeSpace(int64_t bytes) {
  if (totalBytes() + bytes <= options.maxTotalBytes) {
    return llvm::Error::success();
  }
  collect();
  if (totalBytes() + bytes <= options.maxTotalBytes) {
    return llvm::Error::success();
  }
  return blobError(BlobProblem::Full,
                   llvm::formatv("the blob folder has reached its limit of {0} bytes, and all "
                                 "blobs were used in the last {1:f0} hours",
                                 options.maxTotalBytes, options.unusedHours));
}

int64_t BlobStore::receivedBytes(llvm::StringRef name) const {
  return isBlobName(name) ? fileBytes(pathOf(name) + kPartSuffix).value_or(0) : 0;
}

std::optional<int64_t> BlobStore::find(llvm::StringRef name) {
  if (!isBlobName(name)) {
    return std::nullopt;
  }
  std::string path = pathOf(name);
  std::optional<int64_t> bytes = fileBytes(path);
  if (bytes) {
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  }
  return bytes;
}

llvm::Expected<std::string> BlobStore::path(llvm::StringRef name) {
  if (!find(name)) {
    return blobError(BlobProblem::NotFound, "there is no blob " + name.take_front(80));
  }
  return pathOf(name);
}

llvm::Expected<std::string> BlobStore::read(llvm::StringRef name) {
  llvm::Expected<std::string> file = path(name);
  if (!file) {
    return file.takeError();
  }
  auto buffer = llvm::MemoryBuffer::getFile(*file);
  if (!buffer) {
    errno = buffer.getError().value();
    return systemError("cannot read '" + *file + "'");
  }
  return (*buffer)->getBuffer().str();
}

int64_t BlobStore::collect() {
  using Clock = fs::file_time_type::clock;
  auto age = std::chrono::duration<double, std::ratio<3600>>(options.unusedHours);
  auto oldest = Clock::now() - std::chrono::duration_cast<Clock::duration>(age);
  int64_t removed = 0;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(options.folder, error)) {
    std::error_code gone; // another thread may rename the file at the same time
    if (!entry.is_regular_file(gone) || entry.last_write_time(gone) > oldest || gone) {
      continue;
    }
    std::string path = entry.path().string();
    std::lock_guard<std::mutex> lock(mutex);
    if (uploads.contains(entry.path().stem().string())) {
      continue;
    }
    int64_t bytes = fileBytes(path).value_or(0);
    if (unlink(path.c_str()) == 0) {
      total -= bytes;
      ++removed;
    }
  }
  return removed;
}

int64_t BlobStore::totalBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return total;
}

} // namespace convoy::service
