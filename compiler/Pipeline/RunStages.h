// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs stages of the table on a module. Whoever wants to see or steer such a run gives
// an observer: progress, counts, --stop-after, planted bugs and blame are observers.

#pragma once

#include "Pipeline/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <vector>

namespace convoy {

class StageObserver {
public:
  virtual ~StageObserver() = default;
  virtual void beginStage(const Stage &stage) {}
  /// Called with the pass manager of each stage before it runs.
  virtual void instrument(mlir::PassManager &passes) {}
  /// Called after a stage that succeeded and kept its contract. Returns whether the next
  /// stage runs.
  virtual bool endStage(mlir::ModuleOp module, const Stage &stage) { return true; }
  /// Adds the passes that this observer runs to the text of a stage's pipeline, and the flags
  /// with which convoy-opt loads them. A reproducer needs both.
  virtual void describe(std::string &pipeline, std::vector<std::string> &flags) const {}
};

/// Several observers as one. MLIR calls instrumentation in reverse order after a pass, so
/// an observer sees what the observers behind it did to the module.
class ObserverList : public StageObserver {
public:
  /// Null pointers are left out.
  ObserverList(std::initializer_list<StageObserver *> observers);

  void beginStage(const Stage &stage) override;
  void instrument(mlir::PassManager &passes) override;
  bool endStage(mlir::ModuleOp module, const Stage &stage) override;

private:
  std::vector<StageObserver *> observers;
};

/// Runs the stages from `first` to `last`, both included; an empty name is the first or
/// the last of the table. Fails after a diagnostic. A broken contract is reported as a bug
/// of the compiler.
mlir::LogicalResult runStages(mlir::ModuleOp module, const StageOptions &options,
                              llvm::StringRef first = "", llvm::StringRef last = "",
                              StageObserver *observer = nullptr);

} // namespace convoy
