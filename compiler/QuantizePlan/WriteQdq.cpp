// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies a plan to a model.

#include "QuantizePlan/WriteQdq.h"
#include "QuantizePlan/Biases.h"
#include "QuantizePlan/Initializers.h"
#include "QuantizePlan/PlanJson.h"
#include "QuantizePlan/QdqWriter.h"

namespace convoy::plan {
llvm::Expected<onnx::ModelProto> writeQdq(const onnx::ModelProto &prepared, const Points &points,
                                          const Plan &plan, const FittedWeights &fitted) {
  std::vector<std::string> problems = checkPlan(plan, points, prepared);
  if (!problems.empty()) {
    return llvm::createStringError(problems.front());
  }
  onnx::ModelProto model = prepared;
  for (const CorrectedBias &bias : correctedBiases(model, points, fitted)) {
    setInitializer(*model.mutable_graph(), encode(bias.tensor, bias.values));
  }
  separateBiases(model, points, plan);
  QdqWriter writer(model);
  writer.replaceActivations(plan,
                            [&](const ActivationPlan &activation, const std::string &from,
                                const std::string &to) { writer.addPair(activation, from, to); });
  std::set<std::string> replaced;
  for (const WeightPlan &weights : plan.weights) {
    if (weights.type != ElementType::F32) {
      replaced.insert(weights.tensor);
      writer.addDequantize(integersOf(prepared, weights, fitted), weights, weights.tensor);
    }
  }
  writer.flushToFront();
  removeInitializers(*model.mutable_graph(),
                     [&](const std::string &name) { return replaced.count(name) > 0; });
  return model;
}

} // namespace convoy::plan
