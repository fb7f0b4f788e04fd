// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the choice by the range of the differences, per layer and per channel.

#include "Quantize/StoredWeights.h"

using namespace mlir;

namespace convoy::quantize {
namespace {

/// The lowest and the highest difference of a channel or of a layer. Both include 0, because a
/// stored zero point has 8 bits.
struct DifferenceRange {
  int64_t low = 0;
  int64_t high = 0;

  void add(int64_t value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool fits() const { return high - low <= 255; }
  /// Returns the zero point closest to 0 with which the differences fit in i8.
  int64_t zeroPoint() const { return low < -128 ? -128 - low : std::min<int64_t>(127 - high, 0); }
};

int64_t innerSize(const Tensor &tensor, int64_t axis) {
  return *elementCount(tensor.shape().drop_front(axis + 1));
}

/// Returns the weights minus their zero points.
Tensor differencesOf(const Tensor &weights, const QuantizedWeights &numbers, int64_t axis) {
  Tensor result(ElementType::I32, weights.shape());
  int64_t inner = innerSize(weights, axis);
  for (int64_t i = 0; i < weights.size(); ++i) {
    int64_t channel = i / inner % weights.dim(axis);
    result.setInt(i, weights.asInt(i) - numbers.zeroPointOf(channel));
  }
  return result;
}

} // namespace

std::optional<QuantizedWeights> storedDifferences(graph::TypedBuilder &b, const Tensor &differences,
                                                  int64_t axis) {
  int64_t inner = innerSize(differences, axis);
  auto channels = static_cast<size_t>(differences.dim(axis));
  auto channelOf = [&](int64_t i) { return static_cast<size_t>(i / inner) % channels; };
  SmallVector<DifferenceRange> ranges(channels);
  DifferenceRange all;
  for (int64_t i = 0; i < differences.size(); ++i) {
    int64_t difference = differences.asInt(i);
    ranges[channelOf(i)].add(difference);
    all.add(difference);
  }
  if (llvm::any_of(ranges, [](const DifferenceRange &range) { return !range.fits(); })) {
    return std::nullopt;
  }
  QuantizedWeights result{{}, {1}, {all.zeroPoint()}, axis};
  if (!all.fits()) {
    result.zeroPoints.clear();
    for (const DifferenceRange &range : ranges) {
      result.zeroPoints.push_back(range.zeroPoint());
    }
  }
  Tensor stored(ElementType::I8, differences.shape());
  for (int64_t i = 0; i < differences.size(); ++i) {
    auto channel = static_cast<int64_t>(channelOf(i));
    stored.setInt(i, differences.asInt(i) + result.zeroPointOf(channel));
  }
  result.value = b.constant(stored);
  return result;
}

QuantizedWeights storedWeights(graph::TypedBuilder &b, const QuantizedWeights &weights,
                               int64_t axis) {
  std::optional<Tensor> constant = graph::constantValue(weights.value);
  auto isZero = [](int64_t zeroPoint) { return zeroPoint == 0; };
  bool isStored =
      constant && constant->type() == ElementType::I8 && llvm::all_of(weights.zeroPoints, isZero);
  if (!constant || constant->isEmpty() || isStored) {
    return weights;
  }
  // Weights and zero points of at most 8 bits always fit.
  QuantizedWeights stored = *storedDifferences(b, differencesOf(*constant, weights, axis), axis);
  stored.scales = weights.scales;
  return stored;
}

Tensor zeroPointVector(const QuantizedWeights &weights) {
  Tensor result(ElementType::I32, {static_cast<int64_t>(weights.zeroPoints.size())});
  for (auto [i, zeroPoint] : llvm::enumerate(weights.zeroPoints)) {
    result.setInt(static_cast<int64_t>(i), zeroPoint);
  }
  return result;
}

} // namespace convoy::quantize
