// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up entries of a plan and computes scales from ranges.

#include "QuantizePlan/Plan.h"
#include <algorithm>
#include <cmath>

namespace convoy::plan {
namespace {

template <typename Entries>
auto *findEntry(Entries &entries, const std::string &tensor) {
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const auto &entry) { return entry.tensor == tensor; });
  return found == entries.end() ? nullptr : &*found;
}

} // namespace

const ActivationPlan *Plan::findActivation(const std::string &tensor) const {
  return findEntry(activations, tensor);
}

ActivationPlan *Plan::findActivation(const std::string &tensor) {
  return findEntry(activations, tensor);
}

const WeightPlan *Plan::findWeights(const std::string &tensor) const {
  return findEntry(weights, tensor);
}

WeightPlan *Plan::findWeights(const std::string &tensor) { return findEntry(weights, tensor); }

int64_t highestWeight(ElementType type) { return type == ElementType::I4 ? 7 : 127; }

void setRange(ActivationPlan &activation, const TensorRange &range) {
  double low = std::min(range.low, 0.0);
  double high = std::max(range.high, 0.0);
  bool isWide = activation.type == ElementType::I16;
  double width = isWide ? std::max(-low, high) : high - low;
  activation.scale = static_cast<float>(width / (isWide ? 32767 : 255));
  if (!(activation.scale > 0)) {
    activation.scale = 1; // all values are zero, which every scale represents
  }
  setScale(activation, range, activation.scale);
}

void setScale(ActivationPlan &activation, const TensorRange &range, float scale) {
  activation.scale = scale;
  double low = std::min(range.low, 0.0);
  auto zero = static_cast<int64_t>(std::clamp(std::nearbyint(-low / scale), 0.0, 255.0));
  activation.zeroPoint = activation.type == ElementType::U8   ? zero
                         : activation.type == ElementType::I8 ? zero - 128
                                                              : 0;
}

} // namespace convoy::plan
