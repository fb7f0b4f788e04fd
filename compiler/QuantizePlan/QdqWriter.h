// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the nodes and initializers of quantization into a model, for writeQdq and addSwitches.

#pragma once

#include "QuantizePlan/GraphView.h"
#include "QuantizePlan/Points.h"
#include "Support/Tensor.h"

namespace convoy::plan {

class QdqWriter {
public:
  using Nodes = std::vector<onnx::NodeProto>;

  /// Computes the nodes between the tensor `from` and the tensor `to`, which replaces it.
  using Bridge =
      std::function<void(const ActivationPlan &, const std::string &from, const std::string &to)>;

  explicit QdqWriter(onnx::ModelProto &model)
      : model(model), graph(*model.mutable_graph()), names(tensorNames(graph)) {}

  /// Replaces the planned activations: the producer of tensor t writes t_float, the nodes that
  /// `bridge` adds compute t from it. Readers of an input t of the graph read t_dequantized.
  void replaceActivations(const Plan &plan, const Bridge &bridge);

  /// Adds QuantizeLinear and DequantizeLinear.
  void addPair(const ActivationPlan &plan, const std::string &from, const std::string &to);

  /// Adds a DequantizeLinear of constant integers.
  void addDequantize(const Tensor &integers, const WeightPlan &plan, const std::string &to);

  onnx::NodeProto &addNode(const std::string &op, const std::string &name,
                           const std::vector<std::string> &inputs, const std::string &output);
  std::string addInitializer(const std::string &base, const Tensor &tensor);
  std::string fresh(const std::string &base) { return freshName(names, base); }

  /// Adds the nodes since the last call before all nodes of the graph.
  void flushToFront();

private:
  void setDomain(onnx::NodeProto &node, ElementType type, bool isPerChannel);

  onnx::ModelProto &model;
  onnx::GraphProto &graph;
  std::set<std::string> names;
  Nodes added;
};

/// Returns the integers of weights: those of `fitted`, else the nearest.
Tensor integersOf(const onnx::ModelProto &prepared, const WeightPlan &plan,
                  const FittedWeights &fitted);

} // namespace convoy::plan
