// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a plan fits a model. A plan may come from a file that a person edited.

#include "QuantizePlan/PlanJson.h"
#include "Support/NearestName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <set>

namespace convoy::plan {
namespace {

class Checker {
public:
  Checker(const Plan &plan, const Points &points, const onnx::ModelProto &prepared)
      : plan(plan), points(points), prepared(prepared) {
    for (const Activation &activation : points.activations) {
      tensors.push_back(activation.tensor);
    }
    for (const Layer &layer : points.layers) {
      layers.emplace(layer.weight, &layer);
      weights.push_back(layer.weight);
    }
  }

  std::vector<std::string> run() {
    std::set<std::string> seen;
    for (const ActivationPlan &activation : plan.activations) {
      begin("activation", activation.tensor, tensors, seen);
      checkActivation(activation);
    }
    seen.clear();
    for (const WeightPlan &entry : plan.weights) {
      begin("weights", entry.tensor, weights, seen);
      auto layer = layers.find(entry.tensor);
      if (layer != layers.end()) {
        checkWeights(entry, *layer->second);
      }
    }
    checkTies();
    return std::move(problems);
  }

private:
  void fail(const std::string &text) { problems.push_back("plan: " + subject + " " + text); }

  /// Sets the subject of problems and checks its name.
  void begin(const std::string &kind, const std::string &tensor,
             const std::vector<std::string> &names, std::set<std::string> &seen) {
    subject = kind + " '" + tensor + "'";
    if (!llvm::is_contained(names, tensor)) {
      std::string nearest = nearestName(tensor, names);
      fail("is not in the model; " + (nearest.empty()
                                          ? "the plan of another model has other tensors"
                                          : "did you mean '" + nearest + "'?"));
    }
    if (!seen.insert(tensor).second) {
      fail("occurs twice; remove one of the entries");
    }
  }

  void checkActivation(const ActivationPlan &activation) {
    if (activation.type == ElementType::F32) {
      return;
    }
    bool isSigned = activation.type == ElementType::I8 || activation.type == ElementType::I16;
    if (!isSigned && activation.type != ElementType::U8) {
      fail("expects type u8, i8, i16 or f32, got " + name(activation.type).str());
      return;
    }
    if (!(activation.scale > 0) || !std::isfinite(activation.scale)) {
      fail(llvm::formatv("expects a positive scale, got {0:e}", activation.scale).str());
    }
    int64_t half = int64_t(1) << (bitWidth(activation.type) - 1);
    int64_t low = isSigned ? -half : 0;
    int64_t high = isSigned ? half - 1 : 2 * half - 1;
    if (activation.zeroPoint < low || activation.zeroPoint > high) {
      fail(llvm::formatv("expects a zero point from {0} to {1}, got {2}", low, high,
                         activation.zeroPoint)
               .str());
    }
  }

  void checkWeights(const WeightPlan &entry, const Layer &layer) {
    if (entry.type == ElementType::F32) {
      return;
    }
    if (entry.type != ElementType::I8 && entry.type != ElementType::I4) {
      fail("expects type i8, i4 or f32, got " + name(entry.type).str());
      return;
    }
    if (entry.axis != layer.axis) {
      fail(llvm::formatv("expects axis {0}, the dimension of the output channels, got {1}",
                         layer.axis, entry.axis)
               .str());
      return;
    }
    int64_t channels = shapeOf(prepared, entry.tensor)[static_cast<size_t>(layer.axis)];
    auto count = static_cast<int64_t>(entry.scales.size());
    if (count != 1 && count != channels) {
      fail(llvm::formatv("expects 1 scale or {0}, one per output channel, got {1}", channels, count)
               .str());
    }
    if (!llvm::all_of(entry.scales, [](float s) { return s > 0 && std::isfinite(s); })) {
      fail("expects positive scales");
    }
  }

  /// Checks that the activations of a group have one type, scale and zero point.
  void checkTies() {
    std::map<int64_t, ActivationPlan> first;
    for (const Activation &activation : points.activations) {
      if (activation.tie < 0) {
        continue;
      }
      ActivationPlan entry = entryOf(activation.tensor);
      const ActivationPlan &other = first.emplace(activation.tie, entry).first->second;
      bool isEqual = entry.type == other.type &&
                     (entry.type == ElementType::F32 ||
                      (entry.scale == other.scale && entry.zeroPoint == other.zeroPoint));
      if (!isEqual) {
        subject = "activation '" + activation.tensor + "'";
        fail("expects the type, scale and zero point of '" + other.tensor +
             "', because the model copies elements between the two tensors; change both entries");
      }
    }
  }

  /// Returns the entry of a tensor; a tensor without an entry is F32.
  ActivationPlan entryOf(const std::string &tensor) const {
    if (const ActivationPlan *found = plan.findActivation(tensor)) {
      return *found;
    }
    ActivationPlan absent;
    absent.tensor = tensor;
    absent.type = ElementType::F32;
    return absent;
  }

  const Plan &plan;
  const Points &points;
  const onnx::ModelProto &prepared;
  std::vector<std::string> tensors, weights;
  std::map<std::string, const Layer *> layers;
  std::string subject;
  std::vector<std::string> problems;
};

} // namespace

std::vector<std::string> checkPlan(const Plan &plan, const Points &points,
                                   const onnx::ModelProto &prepared) {
  return Checker(plan, points, prepared).run();
}

} // namespace convoy::plan
