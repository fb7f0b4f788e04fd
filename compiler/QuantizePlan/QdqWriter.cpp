// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the writer of quantization nodes.

#include "QuantizePlan/QdqWriter.h"
#include "QuantizePlan/Initializers.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cmath>

namespace convoy::plan {
namespace {

constexpr char kMicrosoft[] = "com.microsoft";

/// Returns the first opset whose QuantizeLinear has the type and number of scales.
int64_t firstOpset(ElementType type, bool isPerChannel) {
  if (bitWidth(type) != 8) {
    return 21;
  }
  return isPerChannel ? 13 : 10;
}

} // namespace

onnx::NodeProto &QdqWriter::addNode(const std::string &op, const std::string &name,
                                    const std::vector<std::string> &inputs,
                                    const std::string &output) {
  onnx::NodeProto &node = added.emplace_back();
  node.set_op_type(op);
  node.set_name(name);
  for (const std::string &input : inputs) {
    node.add_input(input);
  }
  node.add_output(output);
  return node;
}

std::string QdqWriter::addInitializer(const std::string &base, const Tensor &tensor) {
  std::string name = fresh(base);
  *graph.add_initializer() = encode(name, tensor);
  return name;
}

void QdqWriter::setDomain(onnx::NodeProto &node, ElementType type, bool isPerChannel) {
  if (opsetOf(model) >= firstOpset(type, isPerChannel)) {
    return;
  }
  node.set_domain(kMicrosoft);
  bool isImported = llvm::any_of(model.opset_import(), [](const onnx::OperatorSetIdProto &opset) {
    return opset.domain() == kMicrosoft;
  });
  if (!isImported) {
    onnx::OperatorSetIdProto &opset = *model.add_opset_import();
    opset.set_domain(kMicrosoft);
    opset.set_version(1);
  }
}

void QdqWriter::addPair(const ActivationPlan &plan, const std::string &from,
                        const std::string &to) {
  std::string scale = addInitializer(
      plan.tensor + "_scale", Tensor::scalar(ElementType::F32, static_cast<double>(plan.scale)));
  std::string zero =
      addInitializer(plan.tensor + "_zero_point", Tensor::scalar(plan.type, plan.zeroPoint));
  std::string integers = fresh(plan.tensor + "_quantized");
  setDomain(
      addNode("QuantizeLinear", plan.tensor + "_QuantizeLinear", {from, scale, zero}, integers),
      plan.type, /*isPerChannel=*/false);
  setDomain(
      addNode("DequantizeLinear", plan.tensor + "_DequantizeLinear", {integers, scale, zero}, to),
      plan.type, /*isPerChannel=*/false);
}

void QdqWriter::addDequantize(const Tensor &integers, const WeightPlan &plan,
                              const std::string &to) {
  bool isPerChannel = plan.scales.size() > 1;
  auto count = static_cast<int64_t>(plan.scales.size());
  Tensor scales(ElementType::F32, isPerChannel ? Shape{count} : Shape());
  for (int64_t i = 0; i < count; ++i) {
    scales.setDouble(i, plan.scales[static_cast<size_t>(i)]);
  }
  Tensor zeros(plan.type, scales.shape());
  std::string x = addInitializer(plan.tensor + "_quantized", integers);
  std::string scale = addInitializer(plan.tensor + "_scale", scales);
  std::string zero = addInitializer(plan.tensor + "_zero_point", zeros);
  onnx::NodeProto &node =
      addNode("DequantizeLinear", plan.tensor + "_DequantizeLinear", {x, scale, zero}, to);
  setDomain(node, plan.type, isPerChannel);
  if (isPerChannel) {
    onnx::AttributeProto &axis = *node.add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(plan.axis);
  }
}

void QdqWriter::flushToFront() {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (onnx::NodeProto &node : added) {
    nodes.Add()->Swap(&node);
  }
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    nodes.Add()->Swap(&node);
  }
  graph.mutable_node()->Swap(&nodes);
  added.clear();
}

void QdqWriter::replaceActivations(const Plan &plan, const Bridge &bridge) {
  std::map<std::string, std::string> renamed; // inputs of the graph
  std::map<std::string, const ActivationPlan *> planned;
  std::set<std::string> inputs;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    inputs.insert(input.name());
  }
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  auto flush = [&] {
    for (onnx::NodeProto &node : added) {
      nodes.Add()->Swap(&node);
    }
    added.clear();
  };
  for (const ActivationPlan &activation : plan.activations) {
    if (activation.type == ElementType::F32) {
      continue;
    }
    planned[activation.tensor] = &activation;
    if (inputs.count(activation.tensor)) {
      renamed[activation.tensor] = fresh(activation.tensor + "_dequantized");
      bridge(activation, activation.tensor, renamed[activation.tensor]);
    }
  }
  flush();
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    visitReads(node, [&](std::string &name) {
      auto found = renamed.find(name);
      name = found == renamed.end() ? name : found->second;
    });
    onnx::NodeProto &kept = *nodes.Add();
    kept.Swap(&node);
    for (std::string &output : *kept.mutable_output()) {
      auto found = planned.find(output);
      if (found != planned.end()) {
        std::string to = output;
        output = fresh(to + "_float");
        bridge(*found->second, output, to);
      }
    }
    flush();
  }
  graph.mutable_node()->Swap(&nodes);
}

Tensor integersOf(const onnx::ModelProto &prepared, const WeightPlan &plan,
                  const FittedWeights &fitted) {
  std::vector<int64_t> shape = shapeOf(prepared, plan.tensor);
  Tensor integers(plan.type, shape);
  auto chosen = fitted.integers.find(plan.tensor);
  if (chosen != fitted.integers.end()) {
    assert(static_cast<int64_t>(chosen->second.size()) == integers.size());
    for (int64_t i = 0; i < integers.size(); ++i) {
      integers.setInt(i, chosen->second[static_cast<size_t>(i)]);
    }
    return integers;
  }
  std::vector<float> reals = floatsOf(prepared, plan.tensor);
  auto channels = static_cast<int64_t>(plan.scales.size());
  int64_t inner = innerElements(shape, plan.axis);
  auto most = static_cast<double>(highestWeight(plan.type));
  for (int64_t i = 0; i < integers.size(); ++i) {
    double scale = plan.scales[static_cast<size_t>(channels == 1 ? 0 : i / inner % channels)];
    double step = std::nearbyint(static_cast<double>(reals[static_cast<size_t>(i)]) / scale);
    integers.setInt(i, static_cast<int64_t>(std::clamp(step, -most, most)));
  }
  return integers;
}

} // namespace convoy::plan
