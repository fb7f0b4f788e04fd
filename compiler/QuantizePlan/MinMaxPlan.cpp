// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of `--calibrate`: ranges from minimum to maximum.

#include "QuantizePlan/NodeKind.h"
#include "QuantizePlan/Points.h"
#include <algorithm>
#include <cmath>

namespace convoy::plan {
namespace {

/// The activations that share a scale.
struct Group {
  TensorRange range;
  bool isKnown = false; // a sample reached one of them
  bool hasConcat = false;
  bool isAligned = false; // alignAddends() has processed it
  float scale = 0;

  void include(const TensorRange &other) {
    range.low = std::min(range.low, other.low);
    range.high = std::max(range.high, other.high);
    isKnown = true;
  }

  bool isUsable() const { return isKnown && std::isfinite(scale) && scale > 0; }
};

/// Returns whether a Concat reads the tensor, possibly through copies, or computes it.
bool feedsConcat(const std::string &tensor, const GraphView &view) {
  const onnx::NodeProto *producer = view.producer(tensor);
  if (producer && isOp(*producer, "Concat")) {
    return true;
  }
  std::vector<std::string> pending = {tensor};
  std::set<std::string> seen;
  while (!pending.empty()) {
    std::string next = pending.back();
    pending.pop_back();
    for (const onnx::NodeProto *reader : view.readers(next)) {
      if (isOp(*reader, "Concat")) {
        return true;
      }
      for (const std::string &output : reader->output()) {
        if (isCopy(*reader, view) && seen.insert(output).second) {
          pending.push_back(output);
        }
      }
    }
  }
  return false;
}

class MinMax {
public:
  MinMax(const onnx::ModelProto &prepared, const Points &points,
         const std::map<std::string, TensorRange> &ranges, ElementType type)
      : prepared(prepared), points(points), type(type) {
    GraphView view(prepared.graph());
    std::map<int64_t, size_t> groupOfTie;
    for (const Activation &activation : points.activations) {
      size_t next = groups.size();
      size_t number =
          activation.tie < 0 ? next : groupOfTie.emplace(activation.tie, next).first->second;
      groups.resize(std::max(groups.size(), number + 1));
      groupOf[activation.tensor] = number;
      auto range = ranges.find(activation.tensor);
      if (range != ranges.end()) {
        groups[number].include(range->second);
      }
      groups[number].hasConcat |= feedsConcat(activation.tensor, view);
    }
    for (Group &group : groups) {
      group.scale = static_cast<float>((group.range.high - group.range.low) / 255);
    }
  }

  Plan plan() {
    for (const auto &[lhs, rhs] : points.addends) {
      alignAddends(groups[groupOf.at(lhs)], groups[groupOf.at(rhs)]);
    }
    Plan result;
    for (const Activation &activation : points.activations) {
      result.activations.push_back(planOf(activation));
    }
    for (const Layer &layer : points.layers) {
      const ActivationPlan *input = result.findActivation(layer.input);
      if (input && input->type != ElementType::F32 && !result.findWeights(layer.weight)) {
        result.weights.push_back(weightPlan(prepared, layer, ElementType::I8));
      }
    }
    return result;
  }

private:
  /// Increases the smaller scale of two added tensors until the two scales differ by a power of
  /// two. A device then aligns the tensors with a shift instead of two factors. The lost precision
  /// is below the step of the other tensor.
  static void alignAddends(Group &lhs, Group &rhs) {
    auto isFree = [](const Group &group) {
      return group.isUsable() && !group.isAligned && !group.hasConcat;
    };
    if (&lhs == &rhs || !isFree(lhs) || !isFree(rhs)) {
      return;
    }
    Group &coarse = lhs.scale < rhs.scale ? rhs : lhs;
    Group &fine = lhs.scale < rhs.scale ? lhs : rhs;
    double apart = std::floor(std::log2(static_cast<double>(coarse.scale) / fine.scale));
    fine.scale = std::ldexp(coarse.scale, -static_cast<int>(apart));
    coarse.isAligned = fine.isAligned = true;
  }

  ActivationPlan planOf(const Activation &activation) const {
    const Group &group = groups[groupOf.at(activation.tensor)];
    ActivationPlan plan;
    plan.tensor = activation.tensor;
    plan.tie = activation.tie;
    if (group.isUsable()) {
      plan.type = type;
      setScale(plan, group.range, group.scale);
    } else {
      plan.type = ElementType::F32;
      plan.reason =
          group.isKnown ? "has no finite range above zero on the samples" : "no sample reaches it";
    }
    return plan;
  }

  const onnx::ModelProto &prepared;
  const Points &points;
  ElementType type; // of activations
  std::vector<Group> groups;
  std::map<std::string, size_t> groupOf;
};

} // namespace

Plan minMaxPlan(const onnx::ModelProto &prepared, const Points &points,
                const std::map<std::string, TensorRange> &ranges, ElementType type) {
  return MinMax(prepared, points, ranges, type).plan();
}

} // namespace convoy::plan
