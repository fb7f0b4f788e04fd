// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "io/ExternalData.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::io {
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

} // namespace

bool hasExternalData(const Model &model) {
  const onnx::ModelProto &proto = *model.file().proto;
  return hasExternalData(proto.graph()) ||
         llvm::any_of(proto.functions(), [](const onnx::FunctionProto &function) {
           return hasExternalData(function.node());
         });
}

} // namespace convoy::io
