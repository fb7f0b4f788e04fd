// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the table of stages. This is the only place that orders stages.

#include "Pipeline/Pipeline.h"
#include "Accelerators/Passes.h"
#include "Codegen/C/Passes.h"
#include "Codegen/LLVM/Passes.h"
#include "Fusion/Passes.h"
#include "Layout/Passes.h"
#include "Place/Passes.h"
#include "Quantize/Passes.h"
#include "Simplify/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy {
namespace {

void addGraph(OpPassManager &passes, const StageOptions &options) {
  simplify::addSimplifyPasses(passes, {options.quantize.isInteger});
}
void addQuantize(OpPassManager &passes, const StageOptions &options) {
  quantize::addQuantizePasses(passes, options.quantize);
}
void addPlace(OpPassManager &passes, const StageOptions &options) {
  place::addPlacePasses(passes, options.place);
}
void addDevice(OpPassManager &passes, const StageOptions &options) {
  if (!options.place.device.empty()) {
    accelerators::addDevicePasses(passes);
  }
}
void addFusion(OpPassManager &passes, const StageOptions &) { fusion::addFusionPasses(passes); }
void addLayout(OpPassManager &passes, const StageOptions &options) {
  layout::addLayoutPasses(passes, options.layout);
}
void addTasks(OpPassManager &passes, const StageOptions &) { tasks::addTasksPasses(passes); }
void addKernels(OpPassManager &passes, const StageOptions &options) {
  kernels::addKernelsPasses(passes, options.kernels);
  tasks::addBandPasses(passes, options.tasks); // the memory stage plans memory for bands
}
void addMemory(OpPassManager &passes, const StageOptions &options) {
  memory::addMemoryPasses(passes, options.memory);
}
void addSchedule(OpPassManager &passes, const StageOptions &options) {
  tasks::addSchedulePasses(passes, options.tasks);
}

void addCodegen(OpPassManager &passes, const StageOptions &options) {
  if (options.exit == Exit::Source) {
    codegen::addSourcePasses(passes);
  } else {
    codegen::addCodegenPasses(passes, options.codegen);
  }
}

/// Adapts a contract that does not depend on the options.
template <void (*addContract)(OpPassManager &)>
void addSame(OpPassManager &passes, const StageOptions &) {
  addContract(passes);
}

void addCodegenContract(OpPassManager &passes, const StageOptions &options) {
  // The passes for C end with their own check, because the printer cannot fail.
  if (options.exit == Exit::Object) {
    codegen::addCodegenContract(passes);
  }
}

constexpr Stage kStages[] = {
    // name     one line for --help-stages                          adds passes  checks  reference
    {"graph", "Infer types, fold constants, lower composites", addGraph,
     addSame<simplify::addSimplifyContract>, true},
    {"quantize", "Make integer layers of quantised ones", addQuantize,
     addSame<quantize::addQuantizeContract>, true},
    {"place", "Say where each op runs, or why it cannot", addPlace,
     addSame<place::addPlaceContract>, true},
    {"device", "Make the programs of a device's regions", addDevice,
     addSame<accelerators::addDeviceContract>, true},
    {"fusion", "Group ops into kernels", addFusion, addSame<fusion::addFusionContract>, true},
    {"layout", "Settle physical layouts", addLayout, addSame<layout::addLayoutContract>, true},
    {"tasks", "Make each kernel a function and each run a task", addTasks,
     addSame<tasks::addTasksContract>, false},
    {"kernels", "Lower kernels to loops with explicit vectors", addKernels,
     addSame<kernels::addKernelsContract>, false},
    {"memory", "Give every tensor its place in one arena", addMemory,
     addSame<memory::addMemoryContract>, false},
    {"schedule", "Give every thread its list of calls and waits", addSchedule,
     addSame<tasks::addScheduleContract>, false},
    {"codegen", "Lower to LLVM's dialect, or to the form of C", addCodegen, addCodegenContract,
     false},
};

} // namespace

llvm::ArrayRef<Stage> stages() { return kStages; }

const Stage *findStage(llvm::StringRef name) {
  for (const Stage &stage : kStages) {
    if (stage.name == name) {
      return &stage;
    }
  }
  return nullptr;
}

} // namespace convoy
