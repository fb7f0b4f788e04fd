// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/worker/DownloadCandidate.h"
#include "service/queue/Messages.h"

using convoy::tuning::RunnableCandidate;

namespace convoy::service {

static llvm::Error fetch(BlobClient &blobs, std::string &file, BlobKind kind = BlobKind::Data) {
  llvm::StringRef name = file;
  if (!name.consume_front(kBlobPrefix)) {
    return llvm::createStringError("expected '" + std::string(kBlobPrefix) +
                                   "' and a SHA-256, got '" + file + "'");
  }
  llvm::Expected<std::string> path = blobs.fetch(name, kind);
  if (!path) {
    return path.takeError();
  }
  file = *path;
  return llvm::Error::success();
}

llvm::Error downloadCandidate(RunnableCandidate &candidate, BlobClient &blobs) {
  if (llvm::Error error = fetch(blobs, candidate.library, BlobKind::Library)) {
    return error;
  }
  for (RunnableCandidate::Input &input : candidate.inputs) {
    if (llvm::Error error = fetch(blobs, input.file)) {
      return error;
    }
  }
  for (RunnableCandidate::Output &output : candidate.outputs) {
    if (output.expected.empty()) {
      continue;
    }
    if (llvm::Error error = fetch(blobs, output.expected)) {
      return error;
    }
  }
  return llvm::Error::success();
}

} // namespace convoy::service
