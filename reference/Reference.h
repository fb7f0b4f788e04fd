// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference interpreter: runs a function of graph ops, slow and obvious. It
// is the definition of correct for every target, the constant folder and the
// oracle of `convoy check`.

#pragma once

#include "Graph/TypeInference.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/Datum.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::reference {

struct RunOptions {
  /// A tensor above this size is an error rather than an attempt to allocate.
  int64_t maxTensorBytes = int64_t(16) << 30;
  /// An op that sums up more terms than this, which takes minutes, is an error:
  /// their number may grow far beyond the sizes of its tensors.
  int64_t maxTerms = int64_t(1) << 36;
  /// A loop stops with an error after this many iterations in all.
  int64_t maxIterations = int64_t(1) << 40;
  /// Called after each op outside nested regions, in order.
  llvm::function_ref<void(mlir::Operation *, llvm::ArrayRef<Datum>)> observe = nullptr;
};

/// Runs `function` on `inputs`, one per argument. Emits an error at the op that
/// cannot be run.
mlir::FailureOr<std::vector<Datum>> run(mlir::func::FuncOp function, llvm::ArrayRef<Datum> inputs,
                                        const RunOptions &options = {});

/// Evaluates one op (without regions that capture values) on operands given in
/// order.
mlir::FailureOr<std::vector<Datum>> evaluate(mlir::Operation *op, llvm::ArrayRef<Datum> operands,
                                             const RunOptions &options = {});

/// Whether the reference knows the op.
bool canEvaluate(mlir::Operation *op);

/// Knows constants and what follows from them: evaluates the ops behind a value
/// on demand and remembers results. Values are never forgotten, so it must not
/// outlive changes to the ops it has looked at.
class FoldingKnowledge : public graph::Knowledge {
public:
  /// Tensors larger than `maxBytes` are not evaluated.
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
