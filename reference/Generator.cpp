// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges and random numbers. Random element i depends on the seed and on i
// alone, so that results do not change with the order of evaluation.

#include "reference/Evaluation.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Uniform numbers in [0, 1) by position: the finaliser of SplitMix64 (Steele,
/// Lea and Flood, 2014) over a counter.
class Uniform {
public:
  explicit Uniform(double seed) { std::memcpy(&state, &seed, sizeof(state)); }

  double operator()(uint64_t position) const {
    uint64_t bits = mix(mix(state) + position * 0x9e3779b97f4a7c15);
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }

private:
  static uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state;
};

/// One number of the standard normal distribution, by Box and Muller.
double normal(const Uniform &uniform, uint64_t position) {
  constexpr double kTwoPi = 6.283185307179586;
  double radius = std::sqrt(-2 * std::log(1 - uniform(2 * position)));
  return radius * std::cos(kTwoPi * uniform(2 * position + 1));
}

/// Draws classes from rows of unnormalised log probabilities.
LogicalResult drawClasses(Evaluation &e, const Uniform &uniform, const Tensor &logits,
                          Tensor &result) {
  if (result.isEmpty()) {
    return success();
  }
  int64_t classes = logits.dim(1);
  if (classes == 0) {
    return e.error() << "expects at least one class to draw from, got none";
  }
  int64_t samples = result.dim(1);
  std::vector<double> cumulative(classes);
  for (int64_t row = 0; row < result.dim(0); ++row) {
    double largest = logits.asDouble(row * classes);
    for (int64_t i = 1; i < classes; ++i) {
      largest = std::max(largest, logits.asDouble(row * classes + i));
    }
    double total = 0;
    for (int64_t i = 0; i < classes; ++i) {
      total += std::exp(logits.asDouble(row * classes + i) - largest);
      cumulative[i] = total;
    }
    for (int64_t sample = 0; sample < samples; ++sample) {
      double drawn = uniform(row * samples + sample) * total;
      auto it = std::upper_bound(cumulative.begin(), cumulative.end() - 1, drawn);
      result.setInt(row * samples + sample, it - cumulative.begin());
    }
  }
  return success();
}

LogicalResult evaluateRandom(graph::RandomOp op, Evaluation &e) {
  Tensor &result = e.output();
  Uniform uniform(op.getSeed() ? op.getSeed()->convertToDouble() : 0.0);
  double a = op.getA().convertToDouble();
  double b = op.getB().convertToDouble();
  StringRef distribution = op.getDistribution();
  if (distribution == "multinomial") {
    return drawClasses(e, uniform, e.input(op.getInput()), result);
  }
  bool isNumber =
      isFloat(result.type()) || isInteger(result.type()) || result.type() == ElementType::Bool;
  if (!isNumber) {
    return e.error() << "expects numbers, got " << name(result.type());
  }
  for (int64_t i = 0; i < result.size(); ++i) {
    if (distribution == "uniform") {
      result.setDouble(i, a + (b - a) * uniform(i));
    } else if (distribution == "normal") {
      result.setDouble(i, a + b * normal(uniform, i));
    } else if (distribution == "bernoulli") {
      result.setDouble(i, uniform(i) < e.input(op.getInput()).asDouble(i));
    } else {
      return e.error() << "expects uniform, normal, bernoulli or multinomial, got '" << distribution
                       << "'";
    }
  }
  return success();
}

LogicalResult evaluateRange(graph::RangeOp op, Evaluation &e) {
  const Tensor &start = e.input(op.getStart());
  const Tensor &delta = e.input(op.getDelta());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  bool isReal = isFloat(result.type());
  for (int64_t i = 0; i < result.size(); ++i) {
    if (isReal) {
      result.setDouble(i, start.asDouble(0) + static_cast<double>(i) * delta.asDouble(0));
    } else {
      uint64_t first = start.asInt(0);
      uint64_t step = delta.asInt(0);
      result.setInt(i, static_cast<int64_t>(first + static_cast<uint64_t>(i) * step));
    }
  }
  return success();
}

} // namespace

void addGeneratorEvaluators(EvaluatorTable &table) {
  table.add<graph::RandomOp, evaluateRandom>();
  table.add<graph::RangeOp, evaluateRange>();
}

} // namespace convoy::reference
