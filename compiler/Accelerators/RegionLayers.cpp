// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the graph ops of a region to convcore layers and runs the shared rewrites.

#include "Accelerators/RegionLayers.h"
#include "Accelerators/ConvCore/FromGraph.h"
#include "Accelerators/Rewrites.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::accelerators {
namespace {

/// Lowers the region to a function of convcore ops at the end of the module.
FailureOr<func::FuncOp> toConvCore(graph::KernelOp kernel, ModuleOp module) {
  mlir::Block &body = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Operation *yield = body.getTerminator();
  auto function = builder.create<func::FuncOp>(
      kernel.getLoc(), "convoy.region",
      builder.getFunctionType(body.getArgumentTypes(), yield->getOperandTypes()));
  function.setPrivate();
  mlir::Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(body.getArguments(), block->getArguments())) {
    mapping.map(from, to);
  }
  int64_t number = 0;
  for (Operation &op : body.without_terminator()) {
    std::string reason =
        isa<graph::ConstantOp>(op) ? "" : convcore::lowerFromGraph(&op, number++, mapping, builder);
    if (!reason.empty()) {
      function.erase();
      return op.emitOpError("was placed on a device, but cannot be lowered to convcore: ")
             << reason << "; this is a bug in convoy";
    }
  }
  SmallVector<Value> results;
  for (Value value : yield->getOperands()) {
    results.push_back(mapping.lookup(value));
  }
  builder.create<func::ReturnOp>(kernel.getLoc(), results);
  return function;
}

} // namespace

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
  FailureOr<func::FuncOp> function = toConvCore(kernel, module);
  if (succeeded(function)) {
    fuseLayers(*function, device);
    mapLayers(*function, device);
    narrowFloats(*function, device);
  }
  return function;
}

} // namespace convoy::accelerators
