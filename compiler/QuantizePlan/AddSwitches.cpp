// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds a switch per tensor to a model. A run chooses which tensors are quantized, so that one
// compiled model measures the effect of every tensor:
//
//     x -> QuantizeLinear -> DequantizeLinear -> Sub(., x) -> Mul(., s) -> Add(., x) -> y

#include "QuantizePlan/Biases.h"
#include "QuantizePlan/Initializers.h"
#include "QuantizePlan/PlanJson.h"
#include "QuantizePlan/WriteQdq.h"

namespace convoy::plan {
namespace {

class SwitchWriter {
public:
  SwitchWriter(onnx::ModelProto &model, Switches &switches)
      : graph(*model.mutable_graph()), writer(model), switches(switches) {}

  void addActivations(const Plan &plan) {
    writer.replaceActivations(plan, [&](const ActivationPlan &activation, const std::string &from,
                                        const std::string &to) {
      std::string quantized = writer.fresh(activation.tensor + "_rounded");
      writer.addPair(activation, from, quantized);
      std::string difference = writer.fresh(activation.tensor + "_difference");
      writer.addNode("Sub", difference, {quantized, from}, difference);
      blend(activation.tensor, from, difference, inputFor(activation.tensor), to);
    });
    // The order of the plan, not of the nodes.
    for (const ActivationPlan &activation : plan.activations) {
      declare(activation.tensor);
    }
  }

  /// Replaces a constant by constant + s * (other - constant).
  void addConstant(const std::string &tensor, const Tensor &own, const Tensor &other,
                   const std::string &owner) {
    Tensor difference(ElementType::F32, own.shape());
    for (int64_t i = 0; i < own.size(); ++i) {
      difference.setDouble(i, static_cast<float>(other.asDouble(i)) -
                                  static_cast<float>(own.asDouble(i)));
    }
    removeInitializers(graph, [&](const std::string &name) { return name == tensor; });
    std::string from = writer.addInitializer(tensor + "_float", own);
    std::string apart = writer.addInitializer(tensor + "_difference", difference);
    blend(tensor, from, apart, inputFor(owner), tensor);
    declare(owner);
  }

  void finish() { writer.flushToFront(); }

private:
  /// Adds to = from + s * difference.
  void blend(const std::string &tensor, const std::string &from, const std::string &difference,
             const std::string &input, const std::string &to) {
    std::string part = writer.fresh(tensor + "_part");
    writer.addNode("Mul", part, {difference, input}, part);
    writer.addNode("Add", writer.fresh(tensor + "_switched"), {from, part}, to);
  }

  std::string inputFor(const std::string &tensor) {
    auto found = inputs.find(tensor);
    return found != inputs.end() ? found->second
                                 : inputs[tensor] = writer.fresh(tensor + "_switch");
  }

  /// Adds the input of a tensor's switch once; a tensor without a switch has none.
  void declare(const std::string &tensor) {
    auto found = inputs.find(tensor);
    if (found == inputs.end() || !declared.insert(tensor).second) {
      return;
    }
    onnx::ValueInfoProto &input = *graph.add_input();
    input.set_name(found->second);
    auto &type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    type.mutable_shape();
    switches.inputs.push_back(found->second);
    switches.tensors.push_back(tensor);
  }

  onnx::GraphProto &graph;
  QdqWriter writer;
  Switches &switches;
  std::map<std::string, std::string> inputs; // of switches, by tensor
  std::set<std::string> declared;
};

/// Returns a bias of one element as one element per channel.
Tensor broadcast(const Tensor &bias, llvm::ArrayRef<int64_t> shape) {
  Tensor result(ElementType::F32, shape);
  for (int64_t i = 0; i < result.size(); ++i) {
    result.setDouble(i, bias.asDouble(bias.size() == 1 ? 0 : i));
  }
  return result;
}

Tensor dequantized(const Tensor &integers, const WeightPlan &plan) {
  Tensor reals(ElementType::F32, integers.shape());
  int64_t inner = innerElements(integers.shape(), plan.axis);
  auto channels = static_cast<int64_t>(plan.scales.size());
  for (int64_t i = 0; i < integers.size(); ++i) {
    float scale = plan.scales[static_cast<size_t>(channels == 1 ? 0 : i / inner % channels)];
    reals.setDouble(i, static_cast<float>(integers.asInt(i)) * scale);
  }
  return reals;
}

} // namespace

llvm::Expected<onnx::ModelProto> addSwitches(const onnx::ModelProto &prepared, const Points &points,
                                             const Plan &plan, const FittedWeights &fitted,
                                             Switches &switches) {
  std::vector<std::string> problems = checkPlan(plan, points, prepared);
  if (!problems.empty()) {
    return llvm::createStringError(problems.front());
  }
  onnx::ModelProto model = prepared;
  std::vector<CorrectedBias> biases = correctedBiases(model, points, fitted);
  SwitchWriter writer(model, switches);
  writer.addActivations(plan);
  for (const WeightPlan &weights : plan.weights) {
    if (weights.type != ElementType::F32) {
      Tensor own = *decode(*findInitializer(prepared.graph(), weights.tensor));
      writer.addConstant(weights.tensor, own,
                         dequantized(integersOf(prepared, weights, fitted), weights),
                         weights.tensor);
    }
  }
  for (const CorrectedBias &bias : biases) {
    const WeightPlan *weights = plan.findWeights(bias.weight);
    const onnx::TensorProto *own = findInitializer(model.graph(), bias.tensor);
    if (own && weights && weights->type != ElementType::F32) {
      writer.addConstant(bias.tensor, broadcast(*decode(*own), bias.values.shape()), bias.values,
                         bias.weight);
    }
  }
  writer.finish();
  return model;
}

} // namespace convoy::plan
