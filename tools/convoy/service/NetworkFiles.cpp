// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/convoy/service/NetworkFiles.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "Support/TemporaryFolder.h"
#include "service/blobs/BlobClient.h"
#include "tools/convoy/service/ServiceClient.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

namespace convoy::tool {
namespace {

bool isExternal(const onnx::TensorProto &tensor) {
  return tensor.data_location() == onnx::TensorProto::EXTERNAL;
}

bool hasExternalData(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes);

bool hasExternalData(const onnx::GraphProto &graph) {
  return llvm::any_of(graph.initializer(), isExternal) || hasExternalData(graph.node());
}

bool hasExternalData(const onnx::AttributeProto &attribute) {
  auto isWithGraph = [](const onnx::GraphProto &graph) { return hasExternalData(graph); };
  return isExternal(attribute.t()) || llvm::any_of(attribute.tensors(), isExternal) ||
         (attribute.has_g() && hasExternalData(attribute.g())) ||
         llvm::any_of(attribute.graphs(), isWithGraph);
}

/// Reads attributes and their graphs.
bool hasExternalData(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes) {
  return llvm::any_of(nodes, [](const onnx::NodeProto &node) {
    return llvm::any_of(node.attribute(), [](const onnx::AttributeProto &attribute) {
      return hasExternalData(attribute);
    });
  });
}

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

bool hasExternalData(const Model &model) {
  const onnx::ModelProto &proto = *model.file().proto;
  return hasExternalData(proto.graph()) ||
         llvm::any_of(proto.functions(), [](const onnx::FunctionProto &function) {
           return hasExternalData(function.node());
         });
}

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
  if (std::error_code error = llvm::sys::fs::create_directories(folder)) {
    return llvm::createStringError("cannot create '" + folder + "': " + error.message());
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
