// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers are independent: the integers of a layer do not depend on the width of the other layers.
// One fit in 4 bits therefore serves every mix.

#include "quantizer/search/Narrowings.h"

namespace convoy::quantizer {

plan::Plan fourBitPlan(plan::Plan plan, const onnx::ModelProto &prepared,
                       const plan::Points &points) {
  for (const plan::Layer &layer : points.layers) {
    plan::WeightPlan *weights = plan.findWeights(layer.weight);
    if (weights && weights->type == ElementType::I8) {
      plan::WeightPlan narrow = plan::weightPlan(prepared, layer, ElementType::I4);
      narrow.rounding = weights->rounding;
      narrow.correctsBias = weights->correctsBias;
      narrow.reason = "4 bits keep the drop within the limit";
      *weights = std::move(narrow);
    }
  }
  return plan;
}

static Narrowing narrowingOf(const FittedPlan &four, const plan::WeightPlan &weights,
                             const plan::Layer &layer) {
  Narrowing narrowing;
  narrowing.weights = weights;
  auto integers = four.fitted.integers.find(layer.weight);
  if (integers != four.fitted.integers.end()) {
    narrowing.integers = integers->second;
  }
  // A layer without a bias has its corrected bias under the name of its weights.
  auto bias = four.fitted.biases.find(layer.bias.empty() ? layer.weight : layer.bias);
  if (bias != four.fitted.biases.end()) {
    narrowing.bias = bias->first;
    narrowing.biasValues = bias->second;
  }
  return narrowing;
}

std::vector<Narrowing> narrowingsOf(const FittedPlan &four, const onnx::ModelProto &prepared,
                                    const plan::Points &points,
                                    const std::map<std::string, double> &errors) {
  std::vector<Narrowing> narrowings;
  for (const plan::Layer &layer : points.layers) {
    const plan::WeightPlan *weights = four.plan.findWeights(layer.weight);
    if (!weights || weights->type != ElementType::I4) {
      continue;
    }
    Narrowing narrowing = narrowingOf(four, *weights, layer);
    narrowing.elements = elementCountOf(plan::shapeOf(prepared, layer.weight));
    auto error = errors.find(layer.weight);
    narrowing.error = error == errors.end() ? 0 : error->second;
    narrowings.push_back(std::move(narrowing));
  }
  return narrowings;
}

} // namespace convoy::quantizer
