// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings a model into the form in which findPoints recognizes its layers: constant weights, no
// batch normalization, no nodes that only rename tensors, no dead nodes.

#include "QuantizePlan/PrepareModel.h"
#include "QuantizePlan/Initializers.h"
#include "QuantizePlan/Points.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::plan {

void removeNodes(onnx::GraphProto &graph, const std::set<const onnx::NodeProto *> &removed) {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> kept;
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    if (!removed.count(&node)) {
      kept.Add()->Swap(&node);
    }
  }
  graph.mutable_node()->Swap(&kept);
}

namespace {

/// Returns the value of a Constant node, or nullopt for strings and sparse tensors.
std::optional<onnx::TensorProto> constantValue(const onnx::NodeProto &node) {
  auto find = [&](const char *name) { return findAttribute(node, name); };
  onnx::TensorProto tensor;
  if (const onnx::AttributeProto *value = find("value"); value && value->has_t()) {
    tensor = value->t();
  } else if (const onnx::AttributeProto *number = find("value_float")) {
    tensor = encode("", Tensor::scalar(ElementType::F32, static_cast<double>(number->f())));
  } else if (const onnx::AttributeProto *integer = find("value_int")) {
    tensor = encode("", Tensor::scalar(ElementType::I64, integer->i()));
  } else if (const onnx::AttributeProto *list = find("value_ints")) {
    tensor = encode("", Tensor::vector(Shape(list->ints().begin(), list->ints().end())));
  } else if (const onnx::AttributeProto *floats = find("value_floats")) {
    Tensor values(ElementType::F32, {static_cast<int64_t>(floats->floats_size())});
    std::copy(floats->floats().begin(), floats->floats().end(), values.mutableData<float>());
    tensor = encode("", values);
  } else {
    return std::nullopt;
  }
  tensor.set_name(node.output(0));
  return tensor;
}

} // namespace

void convertConstants(onnx::GraphProto &graph) {
  std::set<const onnx::NodeProto *> converted;
  for (const onnx::NodeProto &node : graph.node()) {
    bool isConstant = isOp(node, "Constant") && node.output_size() == 1;
    if (std::optional<onnx::TensorProto> value =
            isConstant ? constantValue(node) : std::optional<onnx::TensorProto>()) {
      *graph.add_initializer() = std::move(*value);
      converted.insert(&node);
    }
  }
  removeNodes(graph, converted);
}

namespace {

/// Returns whether the node copies its input: an Identity, or a Dropout outside training.
bool isRename(const onnx::NodeProto &node, const GraphView &view, int64_t opset) {
  if (node.input_size() == 0 || node.output_size() == 0) {
    return false;
  }
  if (isOp(node, "Identity")) {
    return true;
  }
  bool hasMask = node.output_size() > 1 &&
                 (!view.readers(node.output(1)).empty() || view.isOutput(node.output(1)));
  if (!isOp(node, "Dropout") || hasMask) {
    return false;
  }
  std::string mode = inputOf(node, 2);
  const onnx::TensorProto *constant = mode.empty() ? nullptr : view.initializer(mode);
  std::optional<Tensor> training = constant ? decode(*constant) : std::nullopt;
  bool isTraining = !mode.empty() && !(training && training->size() == 1 && !training->asInt(0));
  return !isTraining && (opset >= 7 || intAttribute(node, "is_test", 0) != 0);
}

void renameReads(onnx::GraphProto &graph, const std::map<std::string, std::string> &names) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    visitReads(node, [&](std::string &name) {
      auto found = names.find(name);
      if (found != names.end()) {
        name = found->second;
      }
    });
  }
}

/// Removes one kind of copies: readers of the result read the input. If the result is an output of
/// the graph, the producer of the input writes the output instead.
void removeRenames(onnx::GraphProto &graph, int64_t opset) {
  GraphView view(graph);
  std::set<const onnx::NodeProto *> removed;
  std::map<std::string, std::string> names; // of reads
  std::map<std::string, std::string> writes;
  auto sourceOf = [&](const std::string &name) {
    auto found = names.find(name);
    return found == names.end() ? name : found->second;
  };
  for (const onnx::NodeProto &node : graph.node()) {
    if (!isRename(node, view, opset)) {
      continue;
    }
    std::string source = sourceOf(node.input(0));
    const std::string &result = node.output(0);
    if (!view.isOutput(result)) {
      names[result] = source;
    } else if (view.producer(source) && !view.isOutput(source) && !writes.count(source)) {
      writes[source] = result;
    } else {
      continue;
    }
    removed.insert(&node);
  }
  for (auto &[from, to] : names) {
    auto written = writes.find(to);
    to = written == writes.end() ? to : written->second;
  }
  names.insert(writes.begin(), writes.end());
  removeNodes(graph, removed);
  renameReads(graph, names);
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (std::string &output : *node.mutable_output()) {
      auto found = writes.find(output);
      output = found == writes.end() ? output : found->second;
    }
  }
}

/// Removes nodes and initializers that no output depends on.
void removeDead(onnx::GraphProto &graph) {
  std::set<std::string> used;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    used.insert(output.name());
  }
  std::set<const onnx::NodeProto *> dead;
  for (const onnx::NodeProto &node : llvm::reverse(graph.node())) {
    if (llvm::none_of(node.output(), [&](const std::string &name) { return used.count(name); })) {
      dead.insert(&node);
      continue;
    }
    visitReads(node, [&](const std::string &name) { used.insert(name); });
  }
  removeNodes(graph, dead);
  removeInitializers(graph, [&](const std::string &name) { return !used.count(name); });
}

/// Makes every initializer a constant: a caller cannot replace it. Before IR version 4, each
/// initializer had to be an input of the graph.
void fixInitializers(onnx::ModelProto &model) {
  constexpr int64_t kFirstIrVersion = 4;
  model.set_ir_version(std::max<int64_t>(model.ir_version(), kFirstIrVersion));
  std::set<std::string> names;
  for (const onnx::TensorProto &tensor : model.graph().initializer()) {
    names.insert(tensor.name());
  }
  auto &inputs = *model.mutable_graph()->mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](const onnx::ValueInfoProto &input) {
                                return names.count(input.name()) > 0;
                              }),
               inputs.end());
}

} // namespace

onnx::ModelProto prepareModel(const onnx::ModelProto &model) {
  onnx::ModelProto prepared = model;
  onnx::GraphProto &graph = *prepared.mutable_graph();
  int64_t opset = opsetOf(model);
  fixInitializers(prepared);
  convertConstants(graph);
  removeRenames(graph, opset);
  foldInitializers(graph);
  foldGemmFactors(graph);
  foldBatchNorms(graph, opset);
  removeDead(graph);
  return prepared;
}

} // namespace convoy::plan
