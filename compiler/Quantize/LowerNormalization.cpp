// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers LRN over channels to integers, for targets that use two tables. The factor
// of an element decreases with the sum of squares around it and has the highest
// curvature at 0. The near table has small intervals and starts at 0; the far table
// covers larger sums.
//
//     near  |-|-|-|-|-|-|-|-|
//     far                   |---|---|---|---|
//
// These targets add the offset before they round, so the bias includes the zero
// point.

#include "Graph/TableNormalization.h"
#include "Quantize/LowerLayers.h"
#include <cmath>

using namespace mlir;

namespace convoy::quantize {
namespace {

constexpr int64_t kMostShift = 16;

using Function = llvm::function_ref<double(double)>;

struct Tables {
  std::vector<int16_t> near, far;
  graph::NormalizationNumbers numbers;

  double at(int64_t sum) const {
    return static_cast<double>(graph::TableFunction{near, far, numbers}(sum));
  }
};

/// Searches for the interval widths with the smallest maximum relative error.
class TableFit {
public:
  /// `one` is the table entry that represents 1; sums are in [0, largest].
  TableFit(Function f, double one, int64_t largest) : f(f), one(one), largest(largest) {
    constexpr int kSamples = 1024;
    for (int i = 0; i <= kSamples; ++i) {
      auto whole = static_cast<double>(largest);
      samples.push_back(std::llround(whole * i / kSamples));
      samples.push_back(std::llround(
          whole * std::exp2(-24.0 * i / kSamples))); // dense near 0, where the curvature is highest
    }
  }

  void consider(int64_t nearIntervals, int64_t farIntervals) {
    for (int64_t nearShift = 0; nearShift <= kMostShift; ++nearShift) {
      int64_t end = nearIntervals << nearShift;
      int64_t farShift = 0;
      while (farShift < kMostShift && end + (farIntervals << farShift) < largest) {
        ++farShift;
      }
      Tables tables;
      tables.numbers.nearShift = nearShift;
      tables.numbers.farStart = end;
      tables.numbers.farShift = farShift;
      tables.near = fill(0, nearShift, nearIntervals);
      tables.far = fill(end, farShift, farIntervals);
      if (double error = worstError(tables); error < bestError) {
        bestError = error;
        best = std::move(tables);
      }
    }
  }

  const Tables &found() const { return best; }

private:
  std::vector<int16_t> fill(int64_t start, int64_t shift, int64_t intervals) const {
    std::vector<int16_t> entries;
    for (int64_t i = 0; i <= intervals; ++i) {
      entries.push_back(
          static_cast<int16_t>(std::llround(one * f(static_cast<double>(start + (i << shift))))));
    }
    return entries;
  }

  double worstError(const Tables &tables) const {
    double worst = 0;
    for (int64_t sum : samples) {
      worst = std::max(worst, std::abs(tables.at(sum) / (one * f(static_cast<double>(sum))) - 1));
    }
    return worst;
  }

  Function f;
  double one;
  int64_t largest;
  std::vector<int64_t> samples;
  double bestError = std::numeric_limits<double>::infinity();
  Tables best;
};

ElementType typeOf(Value value) {
  return fromMlir(cast<TensorType>(value.getType()).getElementType());
}

Value tableConstant(graph::TypedBuilder &b, ArrayRef<int16_t> entries) {
  Tensor table(ElementType::I16, {static_cast<int64_t>(entries.size())});
  llvm::copy(entries, table.mutableData<int16_t>());
  return b.constant(table);
}

/// Returns tables for an input whose real value is (integer - zero point) * scale.
Tables fitTables(graph::LRNOp op, const Quantized &x, const Arithmetic &target, double one) {
  auto size = static_cast<int64_t>(op.getSize());
  double perUnit =
      op.getAlpha().convertToDouble() / static_cast<double>(size) * x.scale.scale * x.scale.scale;
  double bias = op.getBias().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  ElementType type = typeOf(x.value);
  int64_t farthest =
      std::max(x.scale.zeroPoint - lowestOf(type), highestOf(type) - x.scale.zeroPoint);
  auto factor = [&](double sum) { return std::pow(bias + perUnit * sum, -beta); };
  TableFit fit(factor, one, size * farthest * farthest);
  fit.consider(target.longTable, target.shortTable);
  fit.consider(target.shortTable, target.longTable);
  return fit.found();
}

} // namespace

Value lowerNormalization(Value value, IntegerBuilder &b, std::string &why) {
  auto op = value.getDefiningOp<graph::LRNOp>();
  std::optional<Quantized> x = op ? quantizedValue(op.getInput()) : std::nullopt;
  const Arithmetic &target = b.target();
  if (!x || target.shortTable == 0) {
    return {};
  }
  double bias = op.getBias().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  bool isFalling = bias > 0 && op.getAlpha().convertToDouble() >= 0 && beta >= 0;
  if (bitWidth(typeOf(x->value)) != 8 || bitWidth(b.type()) != 8 || !isFalling ||
      op.getSize() > 255) {
    why = "tables require 8-bit elements, a size of at most 255 channels, a positive bias and "
          "non-negative alpha and beta";
    return {};
  }
  double one = INT16_MAX / std::pow(bias, -beta); // the largest entry uses all 16 bits
  double ratio = x->scale.scale / (b.scale().scale * one);
  std::optional<Multiplier> rescale = multiplierFor(ratio, target.multiplierBits);
  int64_t middle = lowestOf(b.type()) + 128;
  double place = rescale ? std::ldexp(static_cast<double>(b.scale().zeroPoint - middle) /
                                          static_cast<double>(rescale->multiplier),
                                      static_cast<int>(rescale->shift))
                         : 0;
  if (!rescale || rescale->multiplier == 0 || std::abs(place) >= std::ldexp(1, 30)) {
    why = "the ratio of the scales exceeds the range of a multiplier";
    return {};
  }
  Tables tables = fitTables(op, *x, target, one);
  graph::TypedBuilder &g = b.graph();
  Value sums = g.emit<graph::IntegerLRNOp>(
      x->value, tableConstant(g, tables.near), tableConstant(g, tables.far), op.getSize(),
      x->scale.zeroPoint, tables.numbers.nearShift, tables.numbers.farStart,
      tables.numbers.farShift, static_cast<int64_t>(std::llround(place)));
  auto scalar = [&](int64_t number) {
    return g.constant(Tensor::scalar(ElementType::I32, static_cast<double>(number)));
  };
  return g.emit<graph::RequantizeOp>(sums, scalar(rescale->multiplier), scalar(rescale->shift),
                                     int64_t(0), toMlir(b.type(), g.builder.getContext()),
                                     int64_t(0), middle, b.low(), b.high(), target.rounding);
}

} // namespace convoy::quantize
