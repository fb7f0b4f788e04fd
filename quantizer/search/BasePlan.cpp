// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses ranges of activations from statistics.

#include "quantizer/search/BasePlan.h"
#include "Import/OnnxProto.h"
#include "Support/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

namespace convoy::quantizer {
namespace {

using Statistics = std::map<std::string, TensorStatistics>;

plan::TensorRange unionOf(const plan::TensorRange &a, const plan::TensorRange &b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Returns the range of each activation; tensors of a tie have the same range.
std::map<std::string, plan::TensorRange> rangesOf(const plan::Points &points,
                                                  const Statistics &statistics, Clipping clipping,
                                                  const TargetTypes &types) {
  std::map<std::string, plan::TensorRange> ranges;
  std::map<int64_t, plan::TensorRange> ties;
  for (const plan::Activation &activation : points.activations) {
    auto found = statistics.find(activation.tensor);
    if (found == statistics.end()) {
      continue;
    }
    plan::TensorRange range =
        activation.range ? *activation.range
                         : chooseRange(found->second, clipping, types.activation, types.shiftsOnly);
    ranges[activation.tensor] = range;
    if (activation.tie >= 0) {
      auto [tie, isNew] = ties.try_emplace(activation.tie, range);
      tie->second = unionOf(tie->second, range);
    }
  }
  for (const plan::Activation &activation : points.activations) {
    if (activation.tie >= 0 && ranges.count(activation.tensor)) {
      ranges[activation.tensor] = ties[activation.tie];
    }
  }
  return ranges;
}

/// Returns the plan of the CPU. It has no condition on the scales of an addition.
plan::Plan plainPlan(const onnx::ModelProto &prepared, const plan::Points &points,
                     const std::map<std::string, plan::TensorRange> &ranges, ElementType type) {
  plan::Plan plan;
  for (const plan::Activation &activation : points.activations) {
    auto range = ranges.find(activation.tensor);
    if (range == ranges.end()) {
      continue;
    }
    plan::ActivationPlan &entry = plan.activations.emplace_back();
    entry.tensor = activation.tensor;
    entry.tie = activation.tie;
    entry.type = type;
    plan::setRange(entry, range->second);
  }
  for (const plan::Layer &layer : points.layers) {
    if (!plan.findWeights(layer.weight)) {
      plan.weights.push_back(plan::weightPlan(prepared, layer, ElementType::I8));
    }
  }
  return plan;
}

void setWeights(plan::Plan &plan, const onnx::ModelProto &prepared, const plan::Points &points,
                ElementType type, const BasePlanOptions &options) {
  for (const plan::Layer &layer : points.layers) {
    if (plan::WeightPlan *weights = plan.findWeights(layer.weight)) {
      *weights = plan::weightPlan(prepared, layer, type);
      weights->rounding = options.rounding;
      weights->correctsBias = options.correctsBias;
    }
  }
}

/// Returns the activation in the wide type.
plan::ActivationPlan wideOf(plan::ActivationPlan activation, ElementType type,
                            const plan::TensorRange &range, double error) {
  activation.type = type;
  activation.zeroPoint = 0;
  activation.scale = 1;
  if (type == ElementType::I16) {
    plan::setRange(activation, range);
  }
  char text[64];
  std::snprintf(text, sizeof(text), "8 bits change the output by %.2f %%", 100 * error);
  activation.reason = text;
  return activation;
}

} // namespace

plan::Plan basePlan(const onnx::ModelProto &prepared, const plan::Points &points,
                    const Statistics &statistics, ElementType weightType,
                    const BasePlanOptions &options, const TargetTypes &types) {
  std::map<std::string, plan::TensorRange> ranges =
      rangesOf(points, statistics, options.clipping, types);
  plan::Plan plan = types.tiesAddends ? plan::minMaxPlan(prepared, points, ranges, types.activation)
                                      : plainPlan(prepared, points, ranges, types.activation);
  setWeights(plan, prepared, points, weightType, options);
  fitToTarget(plan, types);
  return plan;
}

std::vector<Widening> wideningsOf(const plan::Plan &plan, const plan::Points &points,
                                  const Statistics &statistics,
                                  const std::map<std::string, double> &errors, bool allows16) {
  std::map<int64_t, std::vector<std::string>> ties;
  std::vector<std::vector<std::string>> groups;
  std::map<std::string, bool> supports;
  for (const plan::Activation &activation : points.activations) {
    supports[activation.tensor] = activation.supportsI16;
    if (activation.tie < 0) {
      groups.push_back({activation.tensor});
    } else {
      ties[activation.tie].push_back(activation.tensor);
    }
  }
  for (auto &[tie, tensors] : ties) {
    groups.push_back(std::move(tensors));
  }
  std::vector<Widening> widenings;
  for (const std::vector<std::string> &group : groups) {
    Widening widening;
    plan::TensorRange range;
    bool is16 = allows16 && llvm::all_of(group, [&](const std::string &t) { return supports[t]; });
    for (const std::string &tensor : group) {
      auto found = statistics.find(tensor);
      range = found == statistics.end() ? range : unionOf(range, found->second.range);
      auto error = errors.find(tensor);
      double removed = error == errors.end() ? 0 : error->second;
      widening.error = std::hypot(widening.error, removed);
    }
    for (const std::string &tensor : group) {
      const plan::ActivationPlan *entry = plan.findActivation(tensor);
      if (entry && entry->type != ElementType::F32 && entry->type != ElementType::I16) {
        widening.activations.push_back(
            wideOf(*entry, is16 ? ElementType::I16 : ElementType::F32, range, widening.error));
      }
    }
    if (!widening.activations.empty() && widening.error > 0) {
      widenings.push_back(std::move(widening));
    }
  }
  return widenings;
}

double saturationOf(const plan::ActivationPlan &activation, const TensorStatistics &statistics) {
  if (activation.type == ElementType::F32 || statistics.histogram.empty() ||
      statistics.count == 0) {
    return 0;
  }
  int64_t bits = bitWidth(activation.type);
  double least = isSignedInteger(activation.type) ? -std::exp2(bits - 1) : 0;
  double most = least + std::exp2(bits) - 1;
  // A value rounds to the last integer if it is at most half a step outside.
  double zero = static_cast<double>(activation.zeroPoint);
  double low = (least - 0.5 - zero) * activation.scale;
  double high = (most + 0.5 - zero) * activation.scale;
  auto bins = static_cast<double>(statistics.histogram.size());
  double width = (statistics.histogramHigh - statistics.histogramLow) / bins;
  double outside = 0;
  for (auto [i, count] : llvm::enumerate(statistics.histogram)) {
    double center = statistics.histogramLow + (static_cast<double>(i) + 0.5) * width;
    outside += center < low || center > high ? static_cast<double>(count) : 0;
  }
  return outside / static_cast<double>(statistics.count);
}

WeightBytes weightBytesOf(const plan::Plan &plan, const onnx::ModelProto &prepared) {
  int64_t bits = 0, narrowBits = 0;
  for (const plan::WeightPlan &weights : plan.weights) {
    int64_t size = elementCountOf(plan::shapeOf(prepared, weights.tensor)) * bitWidth(weights.type);
    bits += size;
    narrowBits += weights.type == ElementType::I4 ? size : 0;
  }
  return {(bits + 7) / 8,
          bits > 0 ? static_cast<double>(narrowBits) / static_cast<double>(bits) : 0};
}

} // namespace convoy::quantizer
