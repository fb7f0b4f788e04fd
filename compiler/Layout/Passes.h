// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the layout stage; Passes.td documents each pass.

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
  /// Use only direct algorithms, which round like a plain sum.
  bool isStrictMath = false;
  /// The most bytes of packed weights in percent of the planar weights; 0: no limit.
  int64_t weightLimit = 0;
  /// The number of threads of the schedule. Measurements are valid for one number of threads.
  int64_t threads = 1;
  /// The source of measurements; null if only estimates decide.
  std::shared_ptr<const Measurements> measurements = nullptr;
  /// Records on each kernel why templates do not run it, for the report of the compile.
  bool recordsReasons = false;
};

/// Creates convoy-layout-insert-measured with a source of measurements.
std::unique_ptr<mlir::Pass> createInsertMeasuredPass(std::shared_ptr<const Measurements> source,
                                                     const TaskSettings &settings);

/// Adds the stage's passes in order.
void addLayoutPasses(mlir::OpPassManager &passes, const LayoutOptions &options);

/// Adds the check of the stage's contract, on which Tasks, Kernels and Memory rely.
void addLayoutContract(mlir::OpPassManager &passes);

} // namespace convoy::layout
