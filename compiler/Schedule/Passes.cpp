// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the passes of the schedule stage in order. The stage runs after Memory, because assigning a
// piece of a kernel's range needs the range and the memory addresses.

#include "Schedule/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::schedule {

void addSchedulePasses(mlir::OpPassManager &passes, const ScheduleOptions &options,
                       const bands::BandsOptions &bands) {
  if (options.threads <= 1 && !bands.isOn()) {
    return;
  }
  PlanWorkersPassOptions settings;
  settings.threads = options.threads;
  settings.grainNs = options.grainNs;
  settings.scheduler = options.scheduler;
  settings.localise = bands.localise;
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

} // namespace convoy::schedule
