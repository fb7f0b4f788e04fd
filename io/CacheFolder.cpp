// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of the last use is the modification time of the entry's folder. Removing renames an
// entry first, so that another process finds a whole entry or none.

#include "io/CacheFolder.h"
#include "Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <vector>

namespace convoy::io {
namespace {

namespace fs = std::filesystem;

// Entries that are not whole: being written or being removed. A process that was killed leaves one.
constexpr llvm::StringLiteral kAside = "aside-";
constexpr std::chrono::hours kLongestWrite(24);

struct Entry {
  fs::path path;
  fs::file_time_type used;
  int64_t bytes = 0;
};

int64_t bytesIn(const fs::path &entry) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator file(entry, error), end; !error && file != end;
       file.increment(error)) {
    std::error_code unknown;
    auto size = static_cast<int64_t>(file->file_size(unknown));
    bytes += unknown ? 0 : size;
  }
  return bytes;
}

/// Returns the entries, those that were used last at the end, and removes what killed processes
/// left.
std::vector<Entry> entriesIn(const std::string &folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    Entry entry{it->path(), fs::last_write_time(it->path(), unknown)};
    bool isAside = llvm::StringRef(entry.path.filename().native()).starts_with(kAside);
    if (unknown) {
      continue; // another process has removed it
    }
    if (!isAside) {
      entry.bytes = bytesIn(entry.path);
      entries.push_back(std::move(entry));
    } else if (fs::file_time_type::clock::now() - entry.used > kLongestWrite) {
      CacheFolder::discard(entry.path);
    }
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) { return a.used < b.used; });
  return entries;
}

} // namespace

std::optional<std::string> CacheFolder::find(const std::string &key) const {
  std::string path = folder + "/" + key;
  // The use of an entry that another process removes fails, and the caller then compiles.
  return utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0 ? std::optional(path) : std::nullopt;
}

llvm::Expected<std::string> CacheFolder::begin() const {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  // The entries are code that runs, so only the user may write them.
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return cannotWrite(folder, std::error_code(errno, std::generic_category()));
  }
  std::string aside = folder + "/" + kAside.str() + "XXXXXX";
  if (!mkdtemp(aside.data())) {
    return cannotWrite(folder, std::error_code(errno, std::generic_category()));
  }
  return aside;
}

llvm::Expected<std::string> CacheFolder::commit(const std::string &written,
                                                const std::string &key) const {
  std::string path = folder + "/" + key;
  std::error_code error;
  fs::rename(written, path, error);
  if (error) {
    discard(written);
    // Another process was faster: its entry has the same key, so the same content.
    if (!find(key)) {
      return cannotWrite(path, error);
    }
  }
  removeOld(path);
  return path;
}

void CacheFolder::discard(const std::string &path) {
  std::error_code error; // what cannot be removed stays until a later process removes it
  fs::remove_all(path, error);
}

void CacheFolder::removeOld(const std::string &kept) const {
  std::vector<Entry> entries = entriesIn(folder);
  int64_t bytes = 0;
  for (const Entry &entry : entries) {
    bytes += entry.bytes;
  }
  for (const Entry &entry : entries) {
    if (bytes <= limitBytes) {
      return;
    }
    if (entry.path == kept) {
      continue; // the caller is about to load it
    }
    std::string aside = folder + "/" + kAside.str() + "XXXXXX";
    std::error_code error;
    if (mkdtemp(aside.data())) {
      fs::rename(entry.path, aside, error); // replaces the empty folder
      discard(aside);
    }
    bytes -= entry.bytes;
  }
}

} // namespace convoy::io
