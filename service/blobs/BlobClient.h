// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uploads and downloads blobs over HTTPS, with retries, and continues interrupted transfers.
// Downloads are kept in a cache folder. Workers use it. The class is thread-safe.

#pragma once

#include "service/blobs/BlobStore.h"
#include "service/tls/TlsFiles.h"
#include <atomic>

namespace convoy::service {

struct BlobClientOptions {
  /// "https://host:port", or several of them, separated by commas, if a standby serves the same
  /// blobs. The client tries them in turn.
  std::string url;
  TlsFiles tls;
  BlobStoreOptions cache;
  /// Attempts per transfer. An attempt that transfers bytes does not count.
  int attempts = 10;
  double retrySeconds = 0.2; // doubled after each attempt
  double timeoutSeconds = 20;
};

class BlobClient {
public:
  static llvm::Expected<std::unique_ptr<BlobClient>> create(BlobClientOptions options);

  /// Uploads bytes or a file, unless the server has the blob. Returns the SHA-256.
  llvm::Expected<std::string> put(llvm::StringRef bytes, BlobKind kind = BlobKind::Data);
  llvm::Expected<std::string> putFile(llvm::StringRef path, BlobKind kind = BlobKind::Data);

  /// Returns the path of a verified copy in the cache.
  llvm::Expected<std::string> fetch(llvm::StringRef name, BlobKind kind = BlobKind::Data);

private:
  BlobClient(BlobClientOptions options, std::unique_ptr<BlobStore> cache)
      : options(std::move(options)), cache(std::move(cache)) {}
  struct Attempt;
  Attempt upload(llvm::StringRef name, llvm::StringRef bytes, BlobKind kind);
  Attempt download(llvm::StringRef name, BlobKind kind);
  template <typename Transfer>
  llvm::Error repeat(llvm::StringRef name, Transfer transfer);

  std::string url() const;

  BlobClientOptions options;
  std::unique_ptr<BlobStore> cache;
  std::atomic<size_t> failures{0}; // selects one of the URLs
};

} // namespace convoy::service
