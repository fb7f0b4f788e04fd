// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts nodes and weights of an ONNX file, and copies the interface of an artifact.

#include "Driver/ReportFiles.h"
#include "Import/OnnxProto.h"

namespace convoy::driver {
namespace {

int64_t nodesIn(const onnx::GraphProto &graph) {
  int64_t count = graph.node_size();
  for (const onnx::NodeProto &node : graph.node()) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      count += attribute.has_g() ? nodesIn(attribute.g()) : 0;
    }
  }
  return count;
}

int64_t bytesOf(const onnx::TensorProto &tensor) {
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  ElementType type = elementTypeFromOnnx(tensor.data_type()).value_or(ElementType::Undefined);
  return (elementCount(shape).value_or(0) * bitWidth(type) + 7) / 8;
}

/// Returns the bytes of all initializers and Constant nodes.
int64_t bytesIn(const onnx::GraphProto &graph) {
  int64_t bytes = 0;
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    bytes += bytesOf(initializer);
  }
  for (const onnx::NodeProto &node : graph.node()) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      bytes += attribute.has_g() ? bytesIn(attribute.g()) : 0;
      bytes += attribute.has_t() && node.op_type() == "Constant" ? bytesOf(attribute.t()) : 0;
    }
  }
  return bytes;
}

std::vector<TensorInfo> infosOf(llvm::ArrayRef<codegen::TensorDescriptor> tensors) {
  std::vector<TensorInfo> infos;
  for (const codegen::TensorDescriptor &tensor : tensors) {
    TensorInfo info{tensor.name, tensor.type, {tensor.shape.begin(), tensor.shape.end()}};
    info.bytes = tensor.bytes;
    infos.push_back(std::move(info));
  }
  return infos;
}

} // namespace

void reportModelFile(const import::Model &model, CompileReport &report) {
  report.modelNodes = nodesIn(model.proto->graph());
  report.memory.weights.modelBytes = bytesIn(model.proto->graph());
}

void reportInterface(const codegen::ModelInterface &interface, CompileReport &report) {
  report.model = interface.model;
  report.target = interface.target;
  report.hash = interface.hash;
  report.inputs = infosOf(interface.inputs);
  report.outputs = infosOf(interface.outputs);
  report.workspaceBytes = interface.allWorkspaceBytes();
  report.weightsBytes = interface.weightsBytes;
  report.threads = interface.threads;
}

} // namespace convoy::driver
