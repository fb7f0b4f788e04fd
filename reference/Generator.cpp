// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ranges and random numbers. Each op has its own generator, so
// results depend on the op's seed and not on the order of evaluation.

#include "reference/Evaluation.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Draws uniform numbers in [0, 1) from the Mersenne twister with 53 bits per
/// number. ONNX's tests use the same generator, so a node with a seed produces
/// the numbers that the tests expect.
class Uniform {
public:
  explicit Uniform(double seed) : generator(stateOf(seed)) {}

  double operator()() {
    uint64_t high = generator() >> 5;
    uint64_t low = generator() >> 6;
    return static_cast<double>(high << 26 | low) * 0x1p-53;
  }

private:
  /// Returns an integer seed unchanged; hashes all bits of any other seed.
  static uint32_t stateOf(double seed) {
    if (seed >= 0 && seed < 0x1p32 && seed == std::floor(seed)) {
      return static_cast<uint32_t>(seed);
    }
    uint64_t bits;
    std::memcpy(&bits, &seed, sizeof(bits));
    return static_cast<uint32_t>(bits ^ bits >> 32);
  }

  std::mt19937 generator;
};

/// Draws one number of the standard normal distribution with the Box-Muller
/// transform.
double normal(Uniform &uniform) {
  constexpr double kTwoPi = 6.283185307179586;
  double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(kTwoPi * uniform());
}

/// Draws classes from rows of unnormalized log probabilities.
LogicalResult drawClasses(Evaluation &e, Uniform &uniform, const Tensor &logits, Tensor &result) {
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
      double drawn = uniform() * total;
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
  for (int64_t i = 0; i < result.size(); ++i) {
    if (distribution == "uniform") {
      result.setDouble(i, a + (b - a) * uniform());
    } else if (distribution == "normal") {
      result.setDouble(i, a + b * normal(uniform));
    } else if (distribution == "bernoulli") {
      result.setDouble(i, uniform() < e.input(op.getInput()).asDouble(i));
    } else {
      return e.error() << "expects distribution uniform, normal, bernoulli or multinomial, got '"
                       << distribution << "'";
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
