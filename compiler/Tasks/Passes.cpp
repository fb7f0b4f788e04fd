// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass order of the tasks stage, and of the schedule stage, which runs after Memory: assigning
// a piece of a kernel's range needs the range and the memory addresses.

#include "Tasks/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::tasks {

void addTasksPasses(mlir::OpPassManager &passes) { passes.addPass(createSplitKernelsPass()); }

/// Returns whether bands are planned. A deadline plan uses unsplit runs, because it assigns a power
/// state to each run.
static bool wantsBands(const TasksOptions &options) {
  return options.localise != kLocaliseOff && options.deadlineNs == 0 && options.cacheBytes > 0;
}

void addBandPasses(mlir::OpPassManager &passes, const TasksOptions &options) {
  if (wantsBands(options)) {
    PlanBandsPassOptions settings;
    settings.cacheBytes = options.cacheBytes;
    settings.threads = options.threads;
    settings.takesAll = options.localise == kLocaliseAlways;
    passes.addPass(createPlanBandsPass(settings));
  }
}

void addSchedulePasses(mlir::OpPassManager &passes, const TasksOptions &options) {
  if (options.threads > 1 || wantsBands(options)) {
    PlanWorkersPassOptions settings;
    settings.threads = options.threads;
    settings.grainNs = options.grainNs;
    settings.scheduler = options.scheduler;
    settings.localise = options.localise;
    settings.report = options.report;
    settings.deadlineNs = options.deadlineNs;
    std::vector<std::string> states;
    for (const PowerState &state : options.powerStates) {
      states.push_back(toText(state));
    }
    settings.powerStates = states;
    std::vector<std::string> times;
    for (const auto &[kernel, ns] : options.kernelTimes) {
      times.push_back(llvm::formatv("{0}:{1:f0}", kernel, ns));
    }
    settings.kernelTimes = times;
    passes.addPass(createPlanWorkersPass(settings));
  }
}

} // namespace convoy::tasks
