// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the stages tasks and schedule; Passes.td documents each pass.

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
  /// Threads of the parallel region; with one thread there is no region.
  int64_t threads = 1;
  /// Minimum work of a piece, in estimated nanoseconds. Synchronisation costs a few hundred.
  int64_t grainNs = 2000;
  /// The scheduler to use, or "best"; see MacroTasks.h.
  std::string scheduler = "best";
  /// Whether layers run in bands of rows: "off", "on" where bands are estimated to be faster, or
  /// "always".
  std::string localise = "off";
  /// Bytes of the cache, or local memory, of one core; 0 if unknown.
  int64_t cacheBytes = 0;
  /// The file to which the schedule report is written; empty for no report.
  std::string report = "";
  /// Measured nanoseconds of kernels, by name; all other kernels are estimated.
  std::map<std::string, double> kernelTimes;
  /// 0: minimise time. Otherwise minimise energy within this time, with the power states of the
  /// target and at most `threads` threads.
  int64_t deadlineNs = 0;
  std::vector<PowerState> powerStates;
};

/// Adds the stage's passes in order.
void addTasksPasses(mlir::OpPassManager &passes);

/// Adds the check of the tasks contract, on which Kernels and Memory rely.
void addTasksContract(mlir::OpPassManager &passes);

/// Adds the pass that groups lowered runs into bands, if the options request bands.
void addBandPasses(mlir::OpPassManager &passes, const TasksOptions &options);

/// Adds the passes that turn @main in planned memory into a parallel region.
void addSchedulePasses(mlir::OpPassManager &passes, const TasksOptions &options);

/// Adds the check of the schedule contract, on which Codegen relies.
void addScheduleContract(mlir::OpPassManager &passes);

/// The values of TasksOptions::localise.
constexpr llvm::StringLiteral kLocaliseOff = "off";
constexpr llvm::StringLiteral kLocaliseOn = "on";
constexpr llvm::StringLiteral kLocaliseAlways = "always";

} // namespace convoy::tasks
