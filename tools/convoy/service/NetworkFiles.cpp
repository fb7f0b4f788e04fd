// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/convoy/service/NetworkFiles.h"
#include "Support/TemporaryFolder.h"
#include "service/blobs/BlobClient.h"
#include "tools/convoy/service/ServiceClient.h"
#include "llvm/Support/Path.h"

namespace convoy::tool {
namespace {

/// A connection to the blob store, with a cache that ends with it.
class Blobs {
public:
  llvm::Error open(const ServiceFlags &flags) {
    llvm::Expected<service::TlsFiles> files = clientFiles(flags);
    if (!files) {
      return files.takeError();
    }
    if (llvm::Error error = folder.createInSystem()) {
      return error;
    }
    service::BlobClientOptions options;
    options.url = flags.urls;
    options.tls = std::move(*files);
    options.cache.folder = folder.path().str();
    options.attempts = 3; // a user waits
    llvm::Expected<std::unique_ptr<service::BlobClient>> made =
        service::BlobClient::create(std::move(options));
    if (!made) {
      return made.takeError();
    }
    client = std::move(*made);
    return llvm::Error::success();
  }
  service::BlobClient *operator->() { return client.get(); }

private:
  TemporaryFolder folder;
  std::unique_ptr<service::BlobClient> client;
};

} // namespace

llvm::Expected<std::string> uploadModel(const ServiceFlags &flags, llvm::StringRef path) {
  Blobs blobs;
  if (llvm::Error error = blobs.open(flags)) {
    return std::move(error);
  }
  return blobs->putFile(path);
}

llvm::Expected<std::vector<std::string>>
fetchNetwork(const ServiceFlags &flags, const service::JobStatus &job, llvm::StringRef folder) {
  if (job.network().files().empty()) {
    std::string reason = job.network().problem();
    return llvm::createStringError(
        "job " + job.id() + " has no compiled network" + (reason.empty() ? "" : ": " + reason) +
        (service::isEnded(job.state()) ? "" : "; it has not ended") +
        "; `convoy compile --records service:URL` compiles the model with the best records");
  }
  Blobs blobs;
  if (llvm::Error error = blobs.open(flags)) {
    return std::move(error);
  }
  std::vector<std::string> paths;
  for (const service::CompiledFile &file : job.network().files()) {
    llvm::Expected<std::string> cached = blobs->fetch(file.blob());
    if (!cached) {
      return cached.takeError();
    }
    // The name comes from another machine: it must not lead out of the folder.
    std::string path = inFolder(folder, llvm::sys::path::filename(file.name()));
    if (std::error_code error = llvm::sys::fs::copy_file(*cached, path)) {
      return llvm::createStringError("cannot write '" + path + "': " + error.message());
    }
    paths.push_back(path);
  }
  return paths;
}

} // namespace convoy::tool
