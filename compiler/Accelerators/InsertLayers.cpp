// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces each region of a device with the layers that the device runs, so that the reference
// computes them in the device's own types. Used by checks.

#include "Accelerators/Passes.h"
#include "Accelerators/RegionLayers.h"
#include "Accelerators/Registry.h"
#include "Kernels/Kernel.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace convoy::accelerators {
#define GEN_PASS_DEF_INSERTLAYERSPASS
#include "Accelerators/Passes.h.inc"

namespace {

void insertLayers(graph::KernelOp kernel, func::FuncOp layers) {
  mlir::Block &block = layers.getBody().front();
  OpBuilder builder(kernel);
  IRMapping mapping;
  mapping.map(block.getArguments(), kernel.getOperands());
  for (Operation &op : block.without_terminator()) {
    builder.clone(op, mapping);
  }
  for (auto [old, layer] : llvm::zip(kernel->getResults(), block.getTerminator()->getOperands())) {
    old.replaceAllUsesWith(mapping.lookup(layer));
  }
  kernel.erase();
  layers.erase();
}

struct InsertLayers : impl::InsertLayersPassBase<InsertLayers> {
  void runOnOperation() override {
    for (graph::KernelOp kernel : regionsOf(getOperation())) {
      auto config = cast<kernels::OffloadAttr>(kernel.getConfigAttr());
      std::unique_ptr<Accelerator> device = requireAccelerator(kernel, config.getDevice());
      FailureOr<func::FuncOp> layers = failure();
      if (!device || failed(layers = layersOf(kernel, getOperation(), *device))) {
        return signalPassFailure();
      }
      insertLayers(kernel, *layers);
    }
  }
};

} // namespace
} // namespace convoy::accelerators
