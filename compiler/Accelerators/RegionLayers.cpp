// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the layers of a region and converts them to the float type of the device.

#include "Accelerators/RegionLayers.h"
#include "Accelerators/LayerFunction.h"
#include "Accelerators/Rewrites.h"
#include "Kernels/Kernel.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::accelerators {
SmallVector<graph::KernelOp> regionsOf(ModuleOp module) {
  SmallVector<graph::KernelOp> regions;
  module.walk([&](graph::KernelOp kernel) {
    auto config = dyn_cast_or_null<kernels::OffloadAttr>(kernel.getConfigAttr());
    if (config && !config.getProgram()) {
      regions.push_back(kernel);
    }
  });
  return regions;
}

FailureOr<func::FuncOp> layersOf(graph::KernelOp kernel, ModuleOp module,
                                 const Accelerator &device) {
  mlir::Block &body = kernel.getBody().front();
  LayerFunction layers(module, kernel.getLoc(), "convoy.region");
  for (BlockArgument argument : body.getArguments()) {
    layers.addArgument(argument);
  }
  int64_t number = 0;
  for (Operation &op : body.without_terminator()) {
    std::string reason = isa<graph::ConstantOp>(op) ? "" : layers.add(&op, number++);
    if (!reason.empty()) {
      layers.erase();
      return emitBug(&op, "was placed on a device, but cannot be lowered to convcore: ")
             << reason << "; this is a bug in convoy";
    }
  }
  func::FuncOp function = layers.finish(body.getTerminator()->getOperands(), device);
  narrowFloats(function, device);
  return function;
}

} // namespace convoy::accelerators
