// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores blobs as files in a folder. The name of a blob is the SHA-256 of its bytes. The blob
// server of convoy-tuningd serves a store; workers use a store as their cache. The class is
// thread-safe. Several processes may use the same folder, for example a leader and its standby.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <mutex>

namespace convoy::service {

enum class BlobProblem {
  InvalidName, ///< The name is not a SHA-256 in lower-case hexadecimal.
  NotFound,
  WrongHash,   ///< The bytes do not have the SHA-256 of the name.
  WrongOffset, ///< An upload continues at another place than the store expects.
  Busy,        ///< Another upload of the same blob is running.
  TooLarge,    ///< The blob exceeds the limit for one blob.
  Full,        ///< The store has reached its limit, or the disk is full.
  Io,
};

class BlobError : public llvm::ErrorInfo<BlobError> {
public:
  static char ID;

  BlobError(BlobProblem problem, std::string text) : problem(problem), text(std::move(text)) {}
  void log(llvm::raw_ostream &stream) const override { stream << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  BlobProblem problem;
  std::string text;
};

/// What a full store removes first.
enum class BlobKind {
  Data,    ///< Inputs, expected results, tasks, targets and models: used by many trials.
  Library, ///< A candidate: used by one trial.
};

struct BlobStoreOptions {
  std::string folder; // created if it does not exist
  int64_t maxBlobBytes = int64_t{1} << 30;
  int64_t maxTotalBytes = int64_t{8} << 30;
  /// collect() removes blobs that were not read or written for this time.
  double unusedHours = 72;
  /// A full store removes libraries, and then data, that were not read or written for these times.
  /// A library waits for a device between its upload and its use; builders confirm the data of a
  /// task every hour, and the engine confirms the models and networks of its jobs. The network of a
  /// job that has ended is data that only its user reads.
  double libraryKeepSeconds = 300;
  double dataKeepSeconds = 7200;
};

/// Returns whether a name is a SHA-256 in lower-case hexadecimal.
bool isBlobName(llvm::StringRef name);

class BlobStore {
public:
  /// Reads the sizes of the stored blobs. All errors of this class are BlobErrors.
  static llvm::Expected<std::unique_ptr<BlobStore>> open(BlobStoreOptions options);

  /// Stores bytes and returns their SHA-256.
  llvm::Expected<std::string> put(llvm::StringRef bytes, BlobKind kind = BlobKind::Data);

  /// Writes a blob from `offset` on. `offset` must be 0 or the value of receivedBytes(). `write`
  /// calls its argument with successive parts and returns whether all parts arrived; the store
  /// keeps incomplete uploads. If `isLast`, verifies the hash and makes the blob readable; a blob
  /// with a wrong hash is removed.
  using Append = llvm::function_ref<bool(llvm::StringRef part)>;
  llvm::Error receive(llvm::StringRef name, int64_t offset, bool isLast,
                      llvm::function_ref<bool(Append append)> write,
                      BlobKind kind = BlobKind::Data);
  /// Returns the size of an incomplete upload, or 0.
  int64_t receivedBytes(llvm::StringRef name) const;

  /// Returns the size of a complete blob and marks the blob as used, or nothing.
  std::optional<int64_t> find(llvm::StringRef name);
  /// Returns the path of a complete blob and marks the blob as used.
  llvm::Expected<std::string> path(llvm::StringRef name);
  llvm::Expected<std::string> read(llvm::StringRef name);

  /// Removes the blobs that were not used for `unusedHours`, and incomplete uploads that did not
  /// grow for that time. Returns the number of removed files.
  int64_t collect();
  int64_t totalBytes() const;
  const BlobStoreOptions &settings() const { return options; }

private:
  explicit BlobStore(BlobStoreOptions options) : options(std::move(options)) {}
  struct Part;
  struct StoredFile;
  std::string pathOf(llvm::StringRef name, BlobKind kind = BlobKind::Data) const;
  /// Returns the path and the size of a complete blob.
  std::optional<std::pair<std::string, int64_t>> locate(llvm::StringRef name) const;
  llvm::Expected<Part> openPart(const std::string &name, int64_t offset);
  llvm::Error writePart(Part &part, const std::string &name, int64_t offset,
                        llvm::function_ref<bool(Append append)> write);
  llvm::Error finish(Part &part, const std::string &name, BlobKind kind);

  // BlobCollection.cpp
  llvm::Error makeSpace(int64_t bytes);
  /// Lists all files. Another process may remove a listed file at any time.
  std::vector<StoredFile> files() const;
  /// Removes a file and subtracts its size. Returns whether it existed and was not in use.
  bool remove(const StoredFile &file);
  /// Removes the least recently used blobs until at most `bytes` are left: libraries first.
  void evict(int64_t bytes);
  /// Sets `total` to the size of all files: other processes add and remove files, too.
  void count();

  BlobStoreOptions options;
  mutable std::mutex mutex;
  llvm::StringSet<> uploads; // the blobs that are being written
  int64_t total = 0;
  double countedAt = 0; // by the monotonic clock
};

} // namespace convoy::service
