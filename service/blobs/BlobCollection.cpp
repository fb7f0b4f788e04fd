// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes blobs that were not used for days, and the least recently used blobs of a full store.
// Another process may remove blobs of a shared folder, so a file may be gone at any step.

#include "Support/MonotonicClock.h"
#include "service/blobs/BlobFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <filesystem>
#include <unistd.h>

namespace convoy::service {

namespace fs = std::filesystem;
using FileClock = fs::file_time_type::clock;

// The store counts the files again after this time, because another process may have added some.
static constexpr double kCountSeconds = 60;
// A full store frees this part of its limit, so that it does not list its files for each blob.
static constexpr int64_t kFreedPart = 10;

struct BlobStore::StoredFile {
  std::string path;
  std::string name; // of the blob
  int64_t bytes = 0;
  fs::file_time_type used;
  bool isPart = false, isLibrary = false;
};

static fs::file_time_type secondsAgo(double seconds) {
  return FileClock::now() -
         std::chrono::duration_cast<FileClock::duration>(std::chrono::duration<double>(seconds));
}

std::vector<BlobStore::StoredFile> BlobStore::files() const {
  std::vector<StoredFile> result;
  std::error_code error;
  for (fs::recursive_directory_iterator it(options.folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    StoredFile file;
    file.path = it->path().string();
    file.used = it->last_write_time(gone);
    std::optional<int64_t> bytes = fileBytes(file.path);
    if (gone || !bytes) {
      continue;
    }
    file.name = it->path().stem().string();
    file.bytes = *bytes;
    file.isPart = it->path().extension() == kPartSuffix;
    file.isLibrary = it->path().extension() == kLibrarySuffix;
    result.push_back(std::move(file));
  }
  return result;
}

void BlobStore::count() {
  int64_t sum = 0;
  for (const StoredFile &file : files()) {
    sum += file.bytes;
  }
  std::lock_guard<std::mutex> lock(mutex);
  total = sum;
  countedAt = monotonicSeconds();
}

bool BlobStore::remove(const StoredFile &file) {
  std::lock_guard<std::mutex> lock(mutex);
  if (uploads.contains(file.name) || unlink(file.path.c_str()) != 0) {
    return false;
  }
  total -= file.bytes;
  return true;
}

int64_t BlobStore::collect() {
  fs::file_time_type oldest = secondsAgo(options.unusedHours * 3600);
  int64_t removed = 0;
  for (const StoredFile &file : files()) {
    removed += file.used <= oldest && remove(file);
  }
  count();
  return removed;
}

void BlobStore::evict(int64_t bytes) {
  std::vector<StoredFile> candidates = files();
  fs::file_time_type library = secondsAgo(options.libraryKeepSeconds);
  fs::file_time_type data = secondsAgo(options.dataKeepSeconds);
  llvm::erase_if(candidates, [&](const StoredFile &file) {
    return file.used > (file.isLibrary ? library : data);
  });
  llvm::sort(candidates, [](const StoredFile &a, const StoredFile &b) {
    return std::tuple(!a.isLibrary, a.used) < std::tuple(!b.isLibrary, b.used);
  });
  for (const StoredFile &file : candidates) {
    if (totalBytes() <= bytes) {
      return;
    }
    remove(file);
  }
}

llvm::Error BlobStore::makeSpace(int64_t bytes) {
  double counted = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    counted = countedAt;
  }
  if (monotonicSeconds() - counted > kCountSeconds) {
    count();
  }
  if (totalBytes() + bytes <= options.maxTotalBytes) {
    return llvm::Error::success();
  }
  collect();
  if (totalBytes() + bytes > options.maxTotalBytes) {
    evict(options.maxTotalBytes - options.maxTotalBytes / kFreedPart - bytes);
  }
  if (totalBytes() + bytes <= options.maxTotalBytes) {
    return llvm::Error::success();
  }
  return blobError(BlobProblem::Full,
                   llvm::formatv("the blob folder has reached its limit of {0} bytes, and its "
                                 "blobs are in use; raise the limit",
                                 options.maxTotalBytes));
}

} // namespace convoy::service
