// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the stages tasks and schedule; Passes.td says what each takes and gives.

#pragma once

#include "Tasks/PowerPlan.h"
#include "Tasks/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <map>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::tasks {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Tasks/Passes.h.inc"

struct TasksOptions {
  /// Threads of the one parallel region; with one there is none.
  int64_t threads = 1;
  /// Least work of a piece, in estimated nanoseconds. Meeting costs a few hundred.
  int64_t grainNs = 2000;
  /// The scheduler to use, or "best"; MacroTasks.h names them.
  std::string scheduler = "best";
  /// Layers in bands of rows: "off", "on" where that is thought to be shorter, or "always".
  std::string localise = "off";
  /// Of the cache, or the local memory, that one core has for itself; 0: not known.
  int64_t cacheBytes = 0;
  /// The file to draw the schedule in, or empty.
  std::string report = "";
  /// Measured nanoseconds of kernels, by name; others are estimated.
  std::map<std::string, double> kernelTimes;
  /// 0: as fast as can be. Else least energy within this time, in the power states of
  /// the target, with no more threads than `threads`.
  int64_t deadlineNs = 0;
  std::vector<PowerState> powerStates;
};

/// Adds the stage's passes in order.
void addTasksPasses(mlir::OpPassManager &passes);

/// Adds the check of what Kernels and Memory may assume.
void addTasksContract(mlir::OpPassManager &passes);

/// Adds the pass that groups lowered runs into bands, if they are wanted.
void addBandPasses(mlir::OpPassManager &passes, const TasksOptions &options);

/// Adds the passes that make @main in planned memory a parallel region.
void addSchedulePasses(mlir::OpPassManager &passes, const TasksOptions &options);

/// Adds the check of what Codegen may assume of workers.
void addScheduleContract(mlir::OpPassManager &passes);

/// The ways that TasksOptions::localise knows.
constexpr llvm::StringLiteral kLocaliseOff = "off";
constexpr llvm::StringLiteral kLocaliseOn = "on";
constexpr llvm::StringLiteral kLocaliseAlways = "always";

} // namespace convoy::tasks
