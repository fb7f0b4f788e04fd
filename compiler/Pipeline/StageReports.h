// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the functions with which stages fill their parts of the report of a compile. The stage
// table refers to them; ReportObserver calls them while the stages run.

#pragma once

#include "Pipeline/RunStages.h"
#include "convoy/report.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy {

/// Each function reads a module after its stage.
void reportGraph(mlir::ModuleOp module, const StageOptions &options, CompileReport &report);
void reportQuantize(mlir::ModuleOp module, const StageOptions &options, CompileReport &report);
void reportPlace(mlir::ModuleOp module, const StageOptions &options, CompileReport &report);
void reportFusion(mlir::ModuleOp module, const StageOptions &options, CompileReport &report);
void reportLayout(mlir::ModuleOp module, const StageOptions &options, CompileReport &report);
/// Adds the calls of kernels. Templates and layouts are known here; lowering removes them.
void reportTasks(mlir::ModuleOp module, const StageOptions &options, CompileReport &report);
/// Adds what only the lowered kernels determine.
void reportKernels(mlir::ModuleOp module, const StageOptions &options, CompileReport &report);
/// Expects the bytes of the weights in the model file in `report`.
void reportMemory(mlir::ModuleOp module, const StageOptions &options, CompileReport &report);
void reportSchedule(mlir::ModuleOp module, const StageOptions &options, CompileReport &report);

/// Lets each stage that ends fill its part of a report.
class ReportObserver : public StageObserver {
public:
  ReportObserver(const StageOptions &options, CompileReport &report)
      : options(options), report(report) {}

  bool endStage(mlir::ModuleOp module, const Stage &stage) override {
    if (stage.report) {
      stage.report(module, options, report);
    }
    return true;
  }

private:
  const StageOptions &options;
  CompileReport &report;
};

} // namespace convoy
