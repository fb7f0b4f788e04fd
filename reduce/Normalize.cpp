// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings a model into the form that cuts need, and removes what nodes no longer use.

#include "Import/TensorProto.h"
#include "QuantizePlan/Initializers.h"
#include "QuantizePlan/PrepareModel.h"
#include "Support/Tensor.h"
#include "reduce/NodeGraph.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::reduce {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Replaces external data by raw data.
llvm::Error embed(onnx::TensorProto &tensor, const std::string &directory) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
    return llvm::Error::success();
  }
  llvm::Expected<Tensor> loaded = import::decodeTensor(tensor, nullptr, directory);
  if (!loaded) {
    return loaded.takeError();
  }
  tensor = plan::encode(tensor.name(), *loaded);
  return llvm::Error::success();
}

void removeTexts(onnx::GraphProto &graph) {
  graph.clear_doc_string();
  graph.clear_value_info();
  graph.clear_quantization_annotation();
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    node.clear_doc_string();
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      attribute.clear_doc_string();
      if (attribute.has_g()) {
        removeTexts(*attribute.mutable_g());
      }
    }
  }
}

/// Collects the ops that nodes call, also in bodies, with their domains.
void collectOps(const Nodes &nodes, std::set<std::pair<std::string, std::string>> &ops) {
  for (const onnx::NodeProto &node : nodes) {
    ops.insert({node.domain(), node.op_type()});
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g()) {
        collectOps(attribute.g().node(), ops);
      }
      for (const onnx::GraphProto &graph : attribute.graphs()) {
        collectOps(graph.node(), ops);
      }
    }
  }
}

} // namespace

llvm::Expected<onnx::ModelProto> normalize(onnx::ModelProto model, const std::string &directory) {
  onnx::GraphProto &graph = *model.mutable_graph();
  plan::convertConstants(graph);
  for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    if (llvm::Error error = embed(tensor, directory)) {
      return std::move(error);
    }
  }
  removeTexts(graph);
  model.clear_doc_string();
  model.clear_metadata_props();
  model.clear_training_info();
  return model;
}

void removeUnused(onnx::ModelProto &model) {
  onnx::GraphProto &graph = *model.mutable_graph();
  std::vector<std::string> list = outerReads(graph.node());
  std::set<std::string> reads(list.begin(), list.end());
  for (const onnx::ValueInfoProto &output : graph.output()) {
    reads.insert(output.name());
  }
  llvm::erase_if(*graph.mutable_initializer(),
                 [&](const onnx::TensorProto &tensor) { return !reads.count(tensor.name()); });
  llvm::erase_if(*graph.mutable_input(),
                 [&](const onnx::ValueInfoProto &input) { return !reads.count(input.name()); });
  std::set<std::pair<std::string, std::string>> ops;
  collectOps(graph.node(), ops);
  // A function may call other functions.
  for (size_t known = 0; known != ops.size();) {
    known = ops.size();
    for (const onnx::FunctionProto &function : model.functions()) {
      if (ops.count({function.domain(), function.name()})) {
        collectOps(function.node(), ops);
      }
    }
  }
  llvm::erase_if(*model.mutable_functions(), [&](const onnx::FunctionProto &function) {
    return !ops.count({function.domain(), function.name()});
  });
  std::set<std::string> domains = {"", "ai.onnx"};
  for (const auto &op : ops) {
    domains.insert(op.first);
  }
  llvm::erase_if(*model.mutable_opset_import(), [&](const onnx::OperatorSetIdProto &opset) {
    return !domains.count(opset.domain());
  });
}

} // namespace convoy::reduce
