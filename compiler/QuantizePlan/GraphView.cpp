// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the indexes of an ONNX graph.

#include "QuantizePlan/GraphView.h"

namespace convoy::plan {
void visitReads(onnx::NodeProto &node, const std::function<void(std::string &)> &visit) {
  // A list in place of recursion, because the file determines the depth of subgraphs.
  std::vector<onnx::NodeProto *> pending = {&node};
  while (!pending.empty()) {
    onnx::NodeProto *next = pending.back();
    pending.pop_back();
    for (std::string &input : *next->mutable_input()) {
      visit(input);
    }
    for (onnx::AttributeProto &attribute : *next->mutable_attribute()) {
      if (!attribute.has_g()) {
        continue;
      }
      for (onnx::ValueInfoProto &output : *attribute.mutable_g()->mutable_output()) {
        visit(*output.mutable_name());
      }
      for (onnx::NodeProto &inner : *attribute.mutable_g()->mutable_node()) {
        pending.push_back(&inner);
      }
    }
  }
}

void visitReads(const onnx::NodeProto &node,
                const std::function<void(const std::string &)> &visit) {
  // The visitor changes nothing, so that the function of nodes that may change serves both.
  visitReads(const_cast<onnx::NodeProto &>(node), [&](std::string &name) { visit(name); });
}

GraphView::GraphView(const onnx::GraphProto &graph) {
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    initializers[tensor.name()] = &tensor;
  }
  for (const onnx::ValueInfoProto &input : graph.input()) {
    inputs.insert(input.name());
  }
  for (const onnx::ValueInfoProto &output : graph.output()) {
    outputs.insert(output.name());
  }
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &output : node.output()) {
      producers[output] = &node;
    }
    visitReads(node, [&](const std::string &name) { readersOf[name].push_back(&node); });
  }
}

const onnx::TensorProto *GraphView::initializer(const std::string &tensor) const {
  auto found = initializers.find(tensor);
  return found == initializers.end() ? nullptr : found->second;
}

const onnx::NodeProto *GraphView::producer(const std::string &tensor) const {
  auto found = producers.find(tensor);
  return found == producers.end() ? nullptr : found->second;
}

const std::vector<const onnx::NodeProto *> &GraphView::readers(const std::string &tensor) const {
  static const std::vector<const onnx::NodeProto *> kNone;
  auto found = readersOf.find(tensor);
  return found == readersOf.end() ? kNone : found->second;
}

const onnx::NodeProto *GraphView::onlyReader(const std::string &tensor) const {
  const std::vector<const onnx::NodeProto *> &all = readers(tensor);
  return all.size() == 1 && !isOutput(tensor) ? all.front() : nullptr;
}

bool isOp(const onnx::NodeProto &node, const char *op) {
  return node.op_type() == op && (node.domain().empty() || node.domain() == "ai.onnx");
}

const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node, const std::string &name) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() == name) {
      return &attribute;
    }
  }
  return nullptr;
}

int64_t intAttribute(const onnx::NodeProto &node, const std::string &name, int64_t otherwise) {
  const onnx::AttributeProto *found = findAttribute(node, name);
  return found ? found->i() : otherwise;
}

float floatAttribute(const onnx::NodeProto &node, const std::string &name, float otherwise) {
  const onnx::AttributeProto *found = findAttribute(node, name);
  return found ? found->f() : otherwise;
}

std::string inputOf(const onnx::NodeProto &node, int index) {
  return index < node.input_size() ? node.input(index) : "";
}

int64_t opsetOf(const onnx::ModelProto &model) {
  for (const onnx::OperatorSetIdProto &opset : model.opset_import()) {
    if (opset.domain().empty() || opset.domain() == "ai.onnx") {
      return opset.version();
    }
  }
  return 1;
}

int64_t rankOf(const onnx::GraphProto &graph, const std::string &tensor) {
  for (const auto *infos : {&graph.input(), &graph.value_info(), &graph.output()}) {
    for (const onnx::ValueInfoProto &info : *infos) {
      if (info.name() == tensor && info.type().tensor_type().has_shape()) {
        return info.type().tensor_type().shape().dim_size();
      }
    }
  }
  return -1;
}

std::set<std::string> tensorNames(const onnx::GraphProto &graph) {
  std::set<std::string> names;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    names.insert(tensor.name());
  }
  for (const onnx::ValueInfoProto &input : graph.input()) {
    names.insert(input.name());
  }
  for (const onnx::ValueInfoProto &output : graph.output()) {
    names.insert(output.name());
  }
  for (const onnx::NodeProto &node : graph.node()) {
    names.insert(node.output().begin(), node.output().end());
    visitReads(node, [&](const std::string &name) { names.insert(name); });
  }
  return names;
}

std::string freshName(std::set<std::string> &names, const std::string &base) {
  std::string name = base;
  for (int i = 2; !names.insert(name).second; ++i) {
    name = base + "_" + std::to_string(i);
  }
  return name;
}

} // namespace convoy::plan
