// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a model file into ONNX protobuf messages and enforces limits against
// hostile files.

#include "Import/DecodedSize.h"
#include "Import/ForeignFile.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "Support/InputFile.h"
#include "Support/ResourceBudget.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <google/protobuf/io/coded_stream.h>

namespace convoy::import {

// Limit against hostile files. A nested subgraph uses four message levels, so
// this allows about 24 nested subgraphs.
constexpr int kMaxMessageDepth = 100;

static llvm::Error invalid(const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), message);
}

/// Parses without protobuf's own error log; the caller reports the error.
static bool parseQuietly(onnx::ModelProto &proto, llvm::StringRef bytes) {
  google::protobuf::LogSilencer silencer;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMaxMessageDepth);
  return proto.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

llvm::Expected<Model> parseModel(llvm::StringRef bytes, llvm::StringRef name) {
  if (bytes.size() > INT32_MAX) {
    return invalid(
        "'" + name +
        "' is larger than 2 GiB, the limit of protobuf; store the weights as external data");
  }
  const ResourceBudget budget;
  if (decodedBytes(bytes, budget.decodedBytes()) > budget.decodedBytes()) {
    return invalid("the nodes, attributes and values of '" + name + "' take more than " +
                   llvm::Twine(budget.decodedBytes() >> 20) +
                   " MiB of memory; check how the file was made");
  }
  auto proto = std::make_shared<onnx::ModelProto>();
  bool isParsed = parseQuietly(*proto, bytes);
  if (!isParsed || !proto->has_graph()) {
    if (std::string found = describeForeignFile(bytes, name); !found.empty()) {
      return invalid("'" + name + "' " + found);
    }
  }
  if (!isParsed) {
    return invalid("'" + name +
                   "' is not an ONNX model: the file is not protobuf, is truncated or is nested "
                   "too deeply; export or download it again");
  }
  if (!proto->has_graph()) {
    return invalid("'" + name + "' is not an ONNX model: the protobuf message has no graph");
  }
  return Model{std::move(proto), "", llvm::sys::path::stem(name).str()};
}

llvm::Expected<Model> readModel(llvm::StringRef path) {
  if (isDevice(path)) {
    return invalid("cannot read model '" + path + "': it is a device; expected a file");
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (llvm::sys::fs::exists(path + "/saved_model.pb")) {
    return invalid("'" + path +
                   "' is a TensorFlow SavedModel; convert it with `python3 -m "
                   "tf2onnx.convert --saved-model " +
                   path + " --output model.onnx`");
  }
  if (!buffer) {
    return llvm::createStringError(buffer.getError(), "cannot read model '" + path +
                                                          "': " + buffer.getError().message());
  }
  llvm::Expected<Model> model = parseModel((*buffer)->getBuffer(), path);
  if (model) {
    llvm::StringRef directory = llvm::sys::path::parent_path(path);
    model->directory = directory.empty() ? "." : directory.str();
  }
  return model;
}

} // namespace convoy::import
