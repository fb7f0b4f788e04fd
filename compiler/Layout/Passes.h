// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the layout stage; Passes.td says what each takes and gives.

#pragma once

#include "Kernels/Machine.h"
#include "Layout/Measurements.h"
#include "Layout/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::layout {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Layout/Passes.h.inc"

struct LayoutOptions {
  /// What the target gives cost models to reckon with.
  kernels::Machine machine;
  /// Keep to direct algorithms, whose rounding is that of a plain sum.
  bool isStrictMath = false;
  /// Of the schedule: measurements are for a number of threads.
  int64_t threads = 1;
  /// What was measured; null: estimates alone decide.
  std::shared_ptr<const Measurements> measurements = nullptr;
};

/// The pass convoy-layout-insert-measured with a source of measurements.
std::unique_ptr<mlir::Pass> createInsertMeasuredPass(std::shared_ptr<const Measurements> source,
                                                     const TaskSettings &settings);

/// Adds the stage's passes in order.
void addLayoutPasses(mlir::OpPassManager &passes, const LayoutOptions &options);

/// Adds the check of what Tasks, Kernels and Memory may assume.
void addLayoutContract(mlir::OpPassManager &passes);

} // namespace convoy::layout
