// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference interpreter executes a function of graph ops. It is slow and
// simple, and it defines the correct result for every target. Constant folding
// and `convoy check` use it.

#pragma once

#include "Graph/TypeInference.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/Datum.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::reference {

struct RunOptions {
  /// A larger tensor is an error instead of an allocation.
  int64_t maxTensorBytes = int64_t(16) << 30;
  /// An op that sums more terms (several minutes) is an error. The number of
  /// terms may greatly exceed the sizes of the op's tensors.
  int64_t maxTerms = int64_t(1) << 36;
  /// A loop fails after this many iterations in total.
  int64_t maxIterations = int64_t(1) << 40;
  /// Called in order after each op outside nested regions.
  llvm::function_ref<void(mlir::Operation *, llvm::ArrayRef<Datum>)> observe = nullptr;
};

/// Runs `function` on `inputs`, one per argument. Returns outputs with their
/// actual sizes and does not return extents (convoy-graph-insert-extents). Emits
/// an error at the op that cannot run.
mlir::FailureOr<std::vector<Datum>> run(mlir::func::FuncOp function, llvm::ArrayRef<Datum> inputs,
                                        const RunOptions &options = {});

/// Evaluates one op (without regions that capture values) on its operands in
/// order.
mlir::FailureOr<std::vector<Datum>> evaluate(mlir::Operation *op, llvm::ArrayRef<Datum> operands,
                                             const RunOptions &options = {});

/// Returns whether the reference interpreter supports the op.
bool canEvaluate(mlir::Operation *op);

/// Knows constants and values that depend only on constants. Evaluates the ops
/// that define a value on demand and caches the results. The cache is never
/// invalidated, so the object must not be used after an evaluated op changes.
class FoldingKnowledge : public graph::Knowledge {
public:
  /// Does not evaluate tensors larger than `maxBytes`.
  explicit FoldingKnowledge(int64_t maxBytes = int64_t(1) << 20) : maxBytes(maxBytes) {}
  std::optional<Tensor> value(mlir::Value value) override;

private:
  bool isFoldable(mlir::Operation *op) const;
  std::optional<Tensor> evaluateDefinition(mlir::Value value);
  bool isSmall(mlir::Operation *op) const;

  int64_t maxBytes;
  llvm::DenseMap<mlir::Value, std::optional<Tensor>> memo;
};

} // namespace convoy::reference
