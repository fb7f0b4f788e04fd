// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the schedule stage, which Passes.td describes.

#pragma once

#include "Bands/Passes.h"
#include "Schedule/PowerPlan.h"
#include "Task/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <map>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::schedule {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Schedule/Passes.h.inc"

struct ScheduleOptions {
  /// Threads of the parallel region; with one thread there is no region.
  int64_t threads = 1;
  /// Minimum work of a piece, in estimated nanoseconds. Synchronization costs a few hundred.
  int64_t grainNs = 2000;
  Scheduler scheduler = Scheduler::Best;
  /// The file to which the schedule report is written; empty for no report.
  std::string report = "";
  /// Measured nanoseconds of kernels, by name; all other kernels are estimated.
  std::map<std::string, double> kernelTimes;
  /// 0: minimize time. Otherwise minimize energy within this time, with the power states of the
  /// target and at most `threads` threads.
  int64_t deadlineNs = 0;
  std::vector<PowerState> powerStates;
};

/// Adds the passes that turn @main in planned memory into a parallel region. `bands` are the
/// options with which the bands stage ran.
void addSchedulePasses(mlir::OpPassManager &passes, const ScheduleOptions &options,
                       const bands::BandsOptions &bands);

/// Adds the check of the schedule contract, on which Codegen relies.
void addScheduleContract(mlir::OpPassManager &passes);

} // namespace convoy::schedule
