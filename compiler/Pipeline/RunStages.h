// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs stages of the table on a module. An observer can inspect or stop the run: progress,
// counts, --stop-after, injected faults and fault location are observers.

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

/// Combines several observers. After a pass, MLIR calls instrumentation in reverse order, so
/// an observer sees the changes that later observers in the list made to the module.
class ObserverList : public StageObserver {
public:
  /// Ignores null pointers.
  ObserverList(std::initializer_list<StageObserver *> observers);

  void beginStage(const Stage &stage) override;
  void instrument(mlir::PassManager &passes) override;
  bool endStage(mlir::ModuleOp module, const Stage &stage) override;
  void describe(std::string &pipeline, std::vector<std::string> &flags) const override;

private:
  std::vector<StageObserver *> observers;
};

/// Runs the stages from `first` to `last`, both included. An empty name means the first or the
/// last stage of the table. Fails after a diagnostic. Reports a broken contract as a bug in
/// the compiler.
mlir::LogicalResult runStages(mlir::ModuleOp module, const StageOptions &options,
                              llvm::StringRef first = "", llvm::StringRef last = "",
                              StageObserver *observer = nullptr);

} // namespace convoy
