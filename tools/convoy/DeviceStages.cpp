// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages by name, from one to another.

#include "DeviceStages.h"
#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "MachineTarget.h"
#include "Pipeline/TargetOptions.h"
#include "Place/CpuEstimate.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::driver {
namespace {

convoy::CompileOptions stageOptions(const accelerators::Accelerator &device, bool isInteger) {
  convoy::CompileOptions options = compileOptions(targets::detectHost());
  options.quantize.isInteger = isInteger;
  placeOn(device, options);
  return options;
}

/// Runs the stages from `first` on that come before `end`.
LogicalResult runStages(ModuleOp module, const convoy::CompileOptions &options, StringRef first,
                        StringRef end) {
  PassManager passes(module->getContext());
  bool isIn = false;
  for (const Stage &stage : stages()) {
    isIn = (isIn || stage.name == first) && stage.name != end;
    if (isIn) {
      stage.addPasses(passes, options);
    }
  }
  return passes.run(module);
}

bool isRegion(Operation *op) {
  auto kernel = dyn_cast<graph::KernelOp>(op);
  return kernel && isa_and_nonnull<kernels::OffloadAttr>(kernel.getConfigAttr());
}

} // namespace

LogicalResult prepareForDevice(ModuleOp module, const accelerators::Accelerator &device,
                               bool isInteger) {
  return runStages(module, stageOptions(device, isInteger), stages().front().name, "place");
}

LogicalResult placeForDevice(ModuleOp module, const accelerators::Accelerator &device,
                             bool isInteger) {
  return runStages(module, stageOptions(device, isInteger), stages().front().name, "device");
}

FailureOr<DeviceParts> splitForDevice(ModuleOp module, const accelerators::Accelerator &device) {
  if (failed(runStages(module, stageOptions(device, /*isInteger=*/true), "place", "fusion"))) {
    return failure();
  }
  DeviceParts parts;
  auto function = module.lookupSymbol<func::FuncOp>("main");
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isRegion(&op)) {
      ++parts.regions;
    } else if (!isa<graph::ConstantOp>(op)) {
      ++parts.cpuOps;
      parts.cpuNs += place::estimateCpuNs(&op);
    }
  }
  return parts;
}

} // namespace convoy::driver
