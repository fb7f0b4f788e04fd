// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the table of stages. This is the only place that orders stages.

#include "Pipeline/Pipeline.h"
#include "Accelerators/Passes.h"
#include "Accelerators/Registry.h"
#include "Codegen/C/Passes.h"
#include "Codegen/LLVM/Passes.h"
#include "Fusion/Passes.h"
#include "Layout/Passes.h"
#include "Pipeline/StageReports.h"
#include "Pipeline/TargetOptions.h"
#include "Place/Passes.h"
#include "Quantize/Passes.h"
#include "Simplify/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace convoy {
namespace {

/// Returns whether the device interleaves the phases of a transposed convolution.
bool rearranges(llvm::StringRef target) {
  if (target.empty()) {
    return false;
  }
  auto device = accelerators::findAccelerator(target);
  if (!device) {
    llvm::consumeError(device.takeError()); // the place stage reports it
    return false;
  }
  return *device && (*device)->capabilities().find("rearrange");
}

void addGraph(OpPassManager &passes, const StageOptions &options) {
  simplify::SimplifyOptions simplify;
  simplify.keepsQuantized = options.quantize.isInteger;
  // Devices read constants, and no template of microcontrollers reads packed matrices.
  simplify.keepsPacked = !options.machine.hasByteOps && options.place.device.empty();
  // On microcontrollers, the generic loops need the least memory and code. Most devices run
  // convolutions but not the data movement, so the tensors would move between device and CPU.
  simplify.lowersConvs = !options.machine.hasByteOps && options.place.device.empty();
  simplify.lowersTransposedConvs = rearranges(options.place.device);
  simplify::addSimplifyPasses(passes, simplify);
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
void addFusion(OpPassManager &passes, const StageOptions &options) {
  fusion::addFusionPasses(passes,
                          {options.machine, options.layout.isStrictMath, convertsHalves(options)});
}
void addLayout(OpPassManager &passes, const StageOptions &options) {
  layout::addLayoutPasses(passes, options.layout);
}
void addTasks(OpPassManager &passes, const StageOptions &options) {
  outline::addOutlinePasses(passes, options.outline);
}
void addKernels(OpPassManager &passes, const StageOptions &options) {
  kernels::addKernelsPasses(passes, options.kernels);
  // Emitters create constants and offsets where they need them. LLVM would remove the duplicates,
  // but all passes before would take twice the time. The printed C keeps its expressions.
  if (options.exit == Exit::Object) {
    passes.addNestedPass<task::KernelOp>(createCSEPass());
  }
}
void addBands(OpPassManager &passes, const StageOptions &options) {
  bands::addBandsPasses(passes, options.bands);
}
void addMemory(OpPassManager &passes, const StageOptions &options) {
  memory::addMemoryPasses(passes, options.memory);
}
void addSchedule(OpPassManager &passes, const StageOptions &options) {
  schedule::addSchedulePasses(passes, options.schedule, options.bands);
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
    // name, one line for --help-stages, adds passes, checks, reference, report
    {"graph", "Infer types, fold constants and decompose composite ops", addGraph,
     addSame<simplify::addSimplifyContract>, true, reportGraph},
    {"quantize", "Lower quantized layers to integer arithmetic", addQuantize,
     addSame<quantize::addQuantizeContract>, true, reportQuantize},
    {"place", "Assign each op to a device or the CPU and record the reason", addPlace,
     addSame<place::addPlaceContract>, true, reportPlace},
    {"device", "Compile the regions assigned to the device", addDevice,
     addSame<accelerators::addDeviceContract>, true, nullptr},
    {"fusion", "Group ops into kernels", addFusion, addSame<fusion::addFusionContract>, true,
     reportFusion},
    {"layout", "Choose the layout of each tensor and insert reorders", addLayout,
     addSame<layout::addLayoutContract>, true, reportLayout},
    {"tasks", "Outline each kernel as an op and each call as a task", addTasks,
     addSame<outline::addOutlineContract>, false, reportTasks},
    {"kernels", "Lower kernels to loops with explicit vectors", addKernels,
     addSame<kernels::addKernelsContract>, false, reportKernels},
    {"bands", "Split consecutive layers into bands of rows if --bands asks for it", addBands,
     addSame<bands::addBandsContract>, false, nullptr},
    {"memory", "Assign each tensor an offset in one arena", addMemory,
     addSame<memory::addMemoryContract>, false, reportMemory},
    {"schedule", "Assign tasks to threads and insert waits between them", addSchedule,
     addSame<schedule::addScheduleContract>, false, reportSchedule},
    {"codegen", "Lower to the LLVM dialect, or to the ops that C is printed from", addCodegen,
     addCodegenContract, false, nullptr},
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
