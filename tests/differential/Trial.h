// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a graph op by op while GraphMaker builds it, six times: once as the reference does, and
// five times with operands and results perturbed by about one rounding error. The spread of the six
// results is the difference that a correct target may show. Trial rejects an op whose integers or
// infinities depend on rounding before the graph is compiled.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/Operation.h"
#include "tests/differential/Random.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <optional>
#include <vector>

namespace convoy::test {

struct Sample {
  Sample() = default;
  /// Makes a sample that no op has rounded: an input or a constant.
  explicit Sample(const Tensor &tensor)
      : plain(tensor), shaken{tensor, tensor, tensor, tensor, tensor} {}

  Tensor plain;
  // With five runs, all perturbations of an element are too small once in millions of elements.
  std::array<Tensor, 5> shaken;
  /// Whether this op or an earlier one rounded, so that targets may differ.
  bool isRounded = false;
  /// Returns the largest difference between a perturbed and the plain element.
  double deviation() const;
};

/// Returns why the value cannot be used to compare two targets, or an empty string.
std::string whyUnusable(const Sample &sample, bool allowsSpecials);

class Trial {
public:
  explicit Trial(uint64_t seed) : random(seed) {}

  void define(mlir::Value value, const Tensor &tensor) { samples[value] = Sample(tensor); }
  void define(mlir::Value value, const Sample &sample) { samples[value] = sample; }
  const Sample &of(mlir::Value value) const { return samples.find(value)->second; }
  void forget(mlir::Operation *op);

  /// Evaluates the op, whose operands are known, and the ops of its regions. Returns false and sets
  /// `problem` if the op or an op inside is unusable.
  bool evaluate(mlir::Operation *op);
  /// Evaluates all ops of the block except the terminator.
  bool evaluate(mlir::Block &block);

  bool allowsSpecials = false;
  std::string problem;
  /// Set if the reference itself failed, which no operand value may cause.
  bool hasFailed = false;

private:
  bool evaluateOne(mlir::Operation *op);
  bool evaluateIf(mlir::Operation *op);
  bool evaluateLoop(mlir::Operation *op);
  bool evaluateScan(mlir::Operation *op);
  bool store(mlir::Value value, Sample sample);
  Tensor shake(const Tensor &tensor);

  Random random;
  llvm::DenseMap<mlir::Value, Sample> samples;
};

/// Returns half a unit in the last place of 1.
double epsilonOf(ElementType type);

} // namespace convoy::test
