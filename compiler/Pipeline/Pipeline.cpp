// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that orders stages.

#include "Pipeline/Pipeline.h"
#include "Accelerators/Passes.h"
#include "Fusion/Passes.h"
#include "Graph/Passes.h"
#include "Layout/Passes.h"
#include "Place/Passes.h"
#include "Quantize/Passes.h"

using namespace mlir;

namespace convoy {
namespace {

void addGraph(OpPassManager &passes, const CompileOptions &options) {
  graph::addGraphPasses(passes, {options.quantize.isInteger});
}
void addQuantize(OpPassManager &passes, const CompileOptions &options) {
  quantize::addQuantizePasses(passes, options.quantize);
}
void addPlace(OpPassManager &passes, const CompileOptions &options) {
  place::addPlacePasses(passes, options.place);
}
void addDevice(OpPassManager &passes, const CompileOptions &options) {
  if (!options.place.device.empty()) {
    accelerators::addDevicePasses(passes);
  }
}
void addFusion(OpPassManager &passes, const CompileOptions &) { fusion::addFusionPasses(passes); }
void addLayout(OpPassManager &passes, const CompileOptions &options) {
  layout::addLayoutPasses(passes, options.layout);
}
void addTasks(OpPassManager &passes, const CompileOptions &) { tasks::addTasksPasses(passes); }
void addKernels(OpPassManager &passes, const CompileOptions &options) {
  kernels::addKernelsPasses(passes, options.kernels);
  tasks::addBandPasses(passes, options.tasks); // memory is planned for them
}
void addMemory(OpPassManager &passes, const CompileOptions &options) {
  memory::addMemoryPasses(passes, options.memory);
}
void addSchedule(OpPassManager &passes, const CompileOptions &options) {
  tasks::addSchedulePasses(passes, options.tasks);
}

constexpr Stage kStages[] = {
    // name     one line for --help-stages                          adds passes  checks  reference
    {"graph", "Infer types, fold constants, lower composites", addGraph, graph::addGraphContract,
     true},
    {"quantize", "Make integer layers of quantised ones", addQuantize,
     quantize::addQuantizeContract, true},
    {"place", "Say where each op runs, or why it cannot", addPlace, place::addPlaceContract, true},
    {"device", "Make the programs of a device's regions", addDevice,
     accelerators::addDeviceContract, true},
    {"fusion", "Group ops into kernels", addFusion, fusion::addFusionContract, true},
    {"layout", "Settle physical layouts", addLayout, layout::addLayoutContract, true},
    {"tasks", "Make each kernel a function and each run a task", addTasks, tasks::addTasksContract,
     false},
    {"kernels", "Lower kernels to loops with explicit vectors", addKernels,
     kernels::addKernelsContract, false},
    {"memory", "Give every tensor its place in one arena", addMemory, memory::addMemoryContract,
     false},
    {"schedule", "Give every thread its list of calls and waits", addSchedule,
     tasks::addScheduleContract, false},
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

void buildPipeline(OpPassManager &passes, const CompileOptions &options,
                   llvm::StringRef stopAfter) {
  for (const Stage &stage : kStages) {
    stage.addPasses(passes, options);
    if (options.verifyStages) {
      stage.addContract(passes);
    }
    if (stage.name == stopAfter) {
      return;
    }
  }
}

} // namespace convoy
