// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the optimizer steps of ai.onnx.preview.training as arithmetic. A node
// updates any number of tensors: its inputs are the learning rate R, the step
// count T, then all X, all gradients G and all states in the order that ONNX
// specifies. The op Gradient is not supported.

#include "Import/OpTable.h"

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::UnaryKind;

namespace convoy::import {
namespace {

constexpr llvm::StringLiteral kTraining = "ai.onnx.preview.training";

/// The inputs after R and T: `perTensor` inputs for each optimized tensor.
class Step {
public:
  Step(NodeContext &n, unsigned perTensor) : n(n), perTensor(perTensor) {}

  LogicalResult check() {
    unsigned rest = n.numInputs() < 2 ? 0 : n.numInputs() - 2;
    if (rest == 0 || rest % perTensor != 0) {
      return n.error() << "has " << n.numInputs()
                       << " inputs, expected 2 plus a positive multiple of " << perTensor;
    }
    for (unsigned i = 0; i < n.numInputs(); ++i) {
      if (failed(n.require(i, "input"))) {
        return failure();
      }
    }
    count = rest / perTensor;
    return success();
  }

  unsigned tensors() const { return count; }
  /// Returns input `group` (0 is X, 1 is G, ...) of tensor i.
  Value input(unsigned group, unsigned i) const { return n.input(2 + group * count + i); }
  /// Returns R or T in the element type of `like`.
  Value rate(Value like) const { return n.cast(n.input(0), n.element(like)); }
  Value time(Value like) const { return n.cast(n.input(1), n.element(like)); }
  Value scaled(Value x, double factor) const { return n.mul(x, n.scalarLike(x, factor)); }
  /// Returns G + norm_coefficient * X.
  Value regularized(unsigned i) const {
    return n.add(scaled(input(0, i), n.floatAttr("norm_coefficient", 0)), input(1, i));
  }
  /// Returns T > 0 ? a : b.
  Value afterFirst(Value like, Value a, Value b) const {
    Value isLater = n.binary(BinaryKind::Greater, time(like), n.scalarLike(like, 0));
    return n.select(isLater, a, b);
  }

private:
  NodeContext &n;
  unsigned perTensor;
  unsigned count = 0;
};

/// Binds the outputs, which are grouped like the inputs: all new X, then all
/// new states.
LogicalResult yieldGroups(NodeContext &n, ArrayRef<SmallVector<Value>> groups) {
  SmallVector<Value> outputs;
  for (const SmallVector<Value> &group : groups) {
    outputs.append(group.begin(), group.end());
  }
  return n.yield(outputs);
}

LogicalResult importAdagrad(NodeContext &n) {
  Step step(n, 3);
  if (failed(step.check())) {
    return failure();
  }
  double decay = n.floatAttr("decay_factor", 0);
  double epsilon = n.floatAttr("epsilon", 1e-6f);
  SmallVector<SmallVector<Value>> results(2);
  for (unsigned i = 0; i < step.tensors(); ++i) {
    Value x = step.input(0, i);
    Value slowdown = n.add(n.scalarLike(x, 1), step.scaled(step.time(x), decay));
    Value rate = n.div(step.rate(x), slowdown);
    Value gradient = step.regularized(i);
    Value squares = n.add(step.input(2, i), n.mul(gradient, gradient));
    Value adaptive = n.add(n.unary(UnaryKind::Sqrt, squares), n.scalarLike(x, epsilon));
    results[0].push_back(n.sub(x, n.div(n.mul(rate, gradient), adaptive)));
    results[1].push_back(squares);
  }
  return yieldGroups(n, results);
}

/// Returns R * sqrt(1 - beta^T) / (1 - alpha^T), or R at the first step.
Value adamRate(NodeContext &n, const Step &step, Value x, double alpha, double beta) {
  Value one = n.scalarLike(x, 1);
  auto complement = [&](double base) {
    return n.sub(one, n.binary(BinaryKind::Pow, n.scalarLike(x, base), step.time(x)));
  };
  Value numerator = n.mul(step.rate(x), n.unary(UnaryKind::Sqrt, complement(beta)));
  return step.afterFirst(x, n.div(numerator, complement(alpha)), step.rate(x));
}

LogicalResult importAdam(NodeContext &n) {
  Step step(n, 4);
  if (failed(step.check())) {
    return failure();
  }
  double alpha = n.floatAttr("alpha", 0.9f);
  double beta = n.floatAttr("beta", 0.999f);
  double epsilon = n.floatAttr("epsilon", 1e-6f);
  double normPost = n.floatAttr("norm_coefficient_post", 0);
  SmallVector<SmallVector<Value>> results(3);
  for (unsigned i = 0; i < step.tensors(); ++i) {
    Value x = step.input(0, i);
    Value gradient = step.regularized(i);
    Value first = n.add(step.scaled(step.input(2, i), alpha), step.scaled(gradient, 1 - alpha));
    Value second = n.add(step.scaled(step.input(3, i), beta),
                         step.scaled(n.mul(gradient, gradient), 1 - beta));
    Value root = n.add(n.unary(UnaryKind::Sqrt, second), n.scalarLike(x, epsilon));
    Value moved = n.sub(x, n.div(n.mul(adamRate(n, step, x, alpha, beta), first), root));
    results[0].push_back(step.scaled(moved, 1 - normPost));
    results[1].push_back(first);
    results[2].push_back(second);
  }
  return yieldGroups(n, results);
}

LogicalResult importMomentum(NodeContext &n) {
  Step step(n, 3);
  if (failed(step.check())) {
    return failure();
  }
  std::string mode = n.stringAttr("mode", "standard");
  if (mode != "standard" && mode != "nesterov") {
    return n.error() << "has mode '" << mode << "', expected 'standard' or 'nesterov'";
  }
  double alpha = n.floatAttr("alpha", 0);
  double beta = n.floatAttr("beta", 0);
  SmallVector<SmallVector<Value>> results(2);
  for (unsigned i = 0; i < step.tensors(); ++i) {
    Value x = step.input(0, i);
    Value gradient = step.regularized(i);
    Value weight = step.afterFirst(x, n.scalarLike(x, beta), n.scalarLike(x, 1));
    Value velocity = n.add(step.scaled(step.input(2, i), alpha), n.mul(weight, gradient));
    Value direction = mode == "standard" ? velocity : n.add(gradient, step.scaled(velocity, alpha));
    results[0].push_back(n.sub(x, n.mul(step.rate(x), direction)));
    results[1].push_back(velocity);
  }
  return yieldGroups(n, results);
}

} // namespace

llvm::ArrayRef<OpRow> trainingRows() {
  static const OpRow kRows[] = {
      {"Adagrad", importAdagrad, "", kTraining},
      {"Adam", importAdam, "", kTraining},
      {"Momentum", importMomentum, "", kTraining},
  };
  return kRows;
}

} // namespace convoy::import
