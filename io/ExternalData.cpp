// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits the initializers and the tensors in attributes, in all subgraphs and functions.

#include "io/ExternalData.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"

namespace convoy::io {
namespace {

class FileCollector {
public:
  explicit FileCollector(const std::string &folder) : folder(folder) {}

  void addGraph(const onnx::GraphProto &graph) {
    for (const onnx::TensorProto &tensor : graph.initializer()) {
      addTensor(tensor);
    }
    addNodes(graph.node());
  }

  void addNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes) {
    for (const onnx::NodeProto &node : nodes) {
      for (const onnx::AttributeProto &attribute : node.attribute()) {
        addAttribute(attribute);
      }
    }
  }

  std::set<std::string> files;

private:
  void addAttribute(const onnx::AttributeProto &attribute) {
    addTensor(attribute.t());
    for (const onnx::TensorProto &tensor : attribute.tensors()) {
      addTensor(tensor);
    }
    if (attribute.has_g()) {
      addGraph(attribute.g());
    }
    for (const onnx::GraphProto &graph : attribute.graphs()) {
      addGraph(graph);
    }
  }

  void addTensor(const onnx::TensorProto &tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
      return;
    }
    std::string file = folder; // without a location, the import refuses the tensor
    for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
      if (entry.key() == "location") {
        file += "/" + entry.value();
      }
    }
    files.insert(file);
  }

  const std::string &folder;
};

} // namespace

std::set<std::string> externalFiles(const Model &model) {
  FileCollector collector(model.file().directory);
  const onnx::ModelProto &proto = *model.file().proto;
  collector.addGraph(proto.graph());
  for (const onnx::FunctionProto &function : proto.functions()) {
    collector.addNodes(function.node());
  }
  return std::move(collector.files);
}

std::optional<std::string> bytesOf(const Model &model) {
  std::string bytes;
  return model.file().proto->SerializeToString(&bytes) ? std::optional(std::move(bytes))
                                                       : std::nullopt;
}

uint64_t byteCountOf(const Model &model) { return model.file().proto->ByteSizeLong(); }

bool hasExternalData(const Model &model) { return !externalFiles(model).empty(); }

} // namespace convoy::io
