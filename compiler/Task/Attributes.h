// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of the task dialect. Stages exchange the properties of kernels and schedules
// through them.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace convoy::task {

/// Marks a function as a kernel.
inline constexpr llvm::StringLiteral kKernelAttr = "task.kernel";
/// The number of steps of a lowered kernel's outermost loop.
inline constexpr llvm::StringLiteral kRangeAttr = "task.range";

/// The type of a lowered kernel on tensors, as documentation of the generated code.
inline constexpr llvm::StringLiteral kTypeAttr = "task.type";

/// The locations of all nodes that a lowered kernel computes, as documentation of the generated
/// code.
inline constexpr llvm::StringLiteral kNodesAttr = "task.nodes";

/// The number of rounds of a lowered kernel whose range consists of equal rounds of steps. A step
/// may read what any step of an earlier round wrote, so a round begins when the round before has
/// ended. The workers of a run share its scratch memory.
inline constexpr llvm::StringLiteral kRoundsAttr = "task.rounds";

/// The bytes of scratch memory that a run of a lowered kernel needs. The scratch memory is an
/// argument before the range.
inline constexpr llvm::StringLiteral kScratchAttr = "task.scratch";
/// Marks a lowered kernel that may fail. The status cell of the run is an argument before the
/// scratch memory and the range.
inline constexpr llvm::StringLiteral kStatusAttr = "task.status";
/// An attribute of a module: the device programs as constants, in the order of their numbers in
/// task.offload.
inline constexpr llvm::StringLiteral kProgramsAttr = "task.programs";
/// Arguments of a lowered kernel that may share memory: operands whose elements it reads before it
/// writes the result at the same offset, and last the result.
inline constexpr llvm::StringLiteral kInPlaceAttr = "task.in_place";
/// Marks an argument or a result of @main whose bytes are a part of the arena. The caller writes
/// such an input before a run, and the run may overwrite it after its last use.
inline constexpr llvm::StringLiteral kInArenaAttr = "task.in_arena";
/// Marks an argument of @main that a run fetches row by row from a function of the caller.
inline constexpr llvm::StringLiteral kByRowsAttr = "task.by_rows";
/// The template configuration of a kernel; absent for the generic loops.
inline constexpr llvm::StringLiteral kConfigAttr = "task.config";

/// The number of consecutive steps that share a setup. If a range is split between them, the setup
/// runs again.
inline constexpr llvm::StringLiteral kJointAttr = "task.joint";

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

/// An attribute of a lowered kernel whose range can be split along rows: its RowSteps.
inline constexpr llvm::StringLiteral kRowsAttr = "task.rows";
/// An attribute of a run, and of the call that replaces it: its Bands.
inline constexpr llvm::StringLiteral kBandsAttr = "task.bands";

/// An attribute of a run: the number of its group. Consecutive runs with the same number run row by
/// row, so that memory need not hold whole tensors between them.
inline constexpr llvm::StringLiteral kRowGroupAttr = "task.row_group";
/// Marks a run of a row group that starts with the last row, so that its result lies behind its
/// operand instead of before it.
inline constexpr llvm::StringLiteral kDescendingAttr = "task.descending";
/// An attribute of a call whose group runs row by row: its Pace.
inline constexpr llvm::StringLiteral kPaceAttr = "task.pace";
/// An attribute of a lowered kernel in planned memory: the arguments that share bytes with other
/// arguments in some call. The kernel overwrites only rows that no later step reads.
inline constexpr llvm::StringLiteral kOverlapsAttr = "task.overlaps";
/// An attribute of a call of a lowered kernel in planned memory: by argument, the rows of the ring
/// that holds the tensor, or 0 if the memory holds the whole tensor. A row of the tensor is at its
/// remainder modulo the rows of the ring.
inline constexpr llvm::StringLiteral kRingsAttr = "task.rings";

inline bool isKernel(mlir::Operation *op) { return op->hasAttr(kKernelAttr); }
inline bool isWorker(mlir::Operation *op) { return op->hasAttr(kWorkerAttr); }

/// Returns the range of a lowered kernel; nullopt before lowering.
std::optional<int64_t> rangeOf(mlir::Operation *kernel);
/// Returns the rounds of a lowered kernel; 1 if its steps are independent.
int64_t roundsOf(mlir::Operation *kernel);

/// The predicted times of a schedule and of the same work on one thread.
struct Prediction {
  double ns = 0;
  double serialNs = 0;
};

/// Returns the prediction of a scheduled module; nullopt without a schedule.
std::optional<Prediction> predictionOf(mlir::ModuleOp module);
void setPrediction(mlir::ModuleOp module, const Prediction &prediction);

} // namespace convoy::task
