// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a graph op by op while it is being made, six times: once as the
// reference does, and then with every op's operands and results shaken by about
// as much as floats are rounded. Where the six differ is how far a correct
// target may differ; a graph whose integers or infinities depend on rounding is
// noticed before it is ever compiled.

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
  /// A value that is no result of rounding: an input or a constant.
  explicit Sample(const Tensor &tensor)
      : plain(tensor), shaken{tensor, tensor, tensor, tensor, tensor} {}

  Tensor plain;
  // So many that chance makes all of them too small once in millions of numbers.
  std::array<Tensor, 5> shaken;
  /// Whether an op rounded, here or before, and targets may differ.
  bool isRounded = false;
  /// The largest difference that shaking made to an element.
  double deviation() const;
};

/// What makes an op no use for comparing two targets, or empty.
std::string whyUnusable(const Sample &sample, bool allowsSpecials);

class Trial {
public:
  explicit Trial(uint64_t seed) : random(seed) {}

  void define(mlir::Value value, const Tensor &tensor) { samples[value] = Sample(tensor); }
  void define(mlir::Value value, const Sample &sample) { samples[value] = sample; }
  const Sample &of(mlir::Value value) const { return samples.find(value)->second; }
  void forget(mlir::Operation *op);

  /// Evaluates the op, whose operands are known, and the ops of its regions. False
  /// when it, or an op inside, cannot serve; `problem` then says why.
  bool evaluate(mlir::Operation *op);
  /// All ops of the block but the last, likewise.
  bool evaluate(mlir::Block &block);

  bool allowsSpecials = false;
  std::string problem;
  /// Set when the reference itself failed: not the fault of the values.
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

/// Half a unit in the last place of 1.
double epsilonOf(ElementType type);

} // namespace convoy::test
