// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings a model into the form that cuts need, and removes what nodes no longer use.

#include "Import/TensorProto.h"
#include "QuantizePlan/Initializers.h"
#include "Support/Tensor.h"
#include "reduce/NodeGraph.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace convoy::reduce {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

bool isStandard(const onnx::NodeProto &node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

/// Returns the tensor of a Constant node, or nothing if the node has another form.
std::optional<onnx::TensorProto> constantOf(const onnx::NodeProto &node) {
  if (!isStandard(node) || node.op_type() != "Constant" || node.attribute_size() != 1 ||
      node.output_size() != 1) {
    return std::nullopt;
  }
  const onnx::AttributeProto &attribute = node.attribute(0);
  onnx::TensorProto tensor;
  if (attribute.name() == "value" && attribute.has_t()) {
    tensor = attribute.t();
  } else if (attribute.name() == "value_int") {
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_int64_data(attribute.i());
  } else if (attribute.name() == "value_ints") {
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(attribute.ints_size());
    *tensor.mutable_int64_data() = attribute.ints();
  } else if (attribute.name() == "value_float") {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(attribute.f());
  } else if (attribute.name() == "value_floats") {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(attribute.floats_size());
    *tensor.mutable_float_data() = attribute.floats();
  } else {
    return std::nullopt;
  }
  tensor.set_name(node.output(0));
  return tensor;
}

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

template <typename Container, typename Predicate>
void eraseIf(Container &items, Predicate isErased) {
  items.erase(std::remove_if(items.begin(), items.end(), isErased), items.end());
}

} // namespace

llvm::Expected<onnx::ModelProto> normalize(onnx::ModelProto model, const std::string &directory) {
  onnx::GraphProto &graph = *model.mutable_graph();
  std::set<std::string> constants;
  for (const onnx::NodeProto &node : graph.node()) {
    if (std::optional<onnx::TensorProto> tensor = constantOf(node)) {
      *graph.add_initializer() = std::move(*tensor);
      constants.insert(node.output(0));
    }
  }
  eraseIf(*graph.mutable_node(), [&](const onnx::NodeProto &node) {
    return node.output_size() == 1 && constants.count(node.output(0)) > 0;
  });
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
  eraseIf(*graph.mutable_initializer(),
          [&](const onnx::TensorProto &tensor) { return !reads.count(tensor.name()); });
  eraseIf(*graph.mutable_input(),
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
  eraseIf(*model.mutable_functions(), [&](const onnx::FunctionProto &function) {
    return !ops.count({function.domain(), function.name()});
  });
  std::set<std::string> domains = {"", "ai.onnx"};
  for (const auto &op : ops) {
    domains.insert(op.first);
  }
  eraseIf(*model.mutable_opset_import(),
          [&](const onnx::OperatorSetIdProto &opset) { return !domains.count(opset.domain()); });
}

} // namespace convoy::reduce
