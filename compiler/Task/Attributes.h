// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of the task dialect on modules, on workers and on @main. Stages exchange the
// properties of schedules through them. The attributes of kernels and calls are in Task.td.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace convoy::task {

/// An attribute of a module: the device programs as constants, in the order of their numbers in
/// task.offload.
inline constexpr llvm::StringLiteral kProgramsAttr = "task.programs";
/// Marks an argument or a result of @main whose bytes are a part of the arena. The caller writes
/// such an input before a run, and the run may overwrite it after its last use.
inline constexpr llvm::StringLiteral kInArenaAttr = "task.in_arena";
/// Marks an argument of @main that a run fetches row by row from a function of the caller.
inline constexpr llvm::StringLiteral kByRowsAttr = "task.by_rows";
/// Marks the function of one thread of a parallel region.
inline constexpr llvm::StringLiteral kWorkerAttr = "task.worker";
/// The number of threads for which a module was scheduled; absent for one thread.
inline constexpr llvm::StringLiteral kThreadsAttr = "task.threads";

/// The scheduler that computed the lists of a module's workers.
inline constexpr llvm::StringLiteral kSchedulerAttr = "task.scheduler";

/// An attribute of a module: the predicted time `ns` of the schedule, and `serialNs` on one thread.
inline constexpr llvm::StringLiteral kPredictionAttr = "task.prediction";

/// An attribute of a module with a deadline: `deadlineNs`, `cores`, `ns` and `microjoules` of the
/// plan, and `fullNs` and `fullMicrojoules` of all cores at full speed.
inline constexpr llvm::StringLiteral kPowerPlanAttr = "task.power_plan";

inline bool isWorker(mlir::Operation *op) { return op->hasAttr(kWorkerAttr); }

/// The predicted times of a schedule and of the same work on one thread.
struct Prediction {
  double ns = 0;
  double serialNs = 0;
};

/// Returns the prediction of a scheduled module; nullopt without a schedule.
std::optional<Prediction> predictionOf(mlir::ModuleOp module);
void setPrediction(mlir::ModuleOp module, const Prediction &prediction);

} // namespace convoy::task
