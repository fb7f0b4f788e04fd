// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the device stage, and the shared rewrites as separate passes for lit tests and
// convoy-opt.

#include "Accelerators/Passes.h"
#include "Accelerators/Registry.h"
#include "Accelerators/Rewrites.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::accelerators {
#define GEN_PASS_DEF_FUSELAYERSPASS
#define GEN_PASS_DEF_LOWERDEVICEPASS
#define GEN_PASS_DEF_MAPLAYERSPASS
#include "Accelerators/Passes.h.inc"

namespace {

struct FuseLayers : impl::FuseLayersPassBase<FuseLayers> {
  using FuseLayersPassBase::FuseLayersPassBase;

  void runOnOperation() override {
    std::unique_ptr<Accelerator> found = requireAccelerator(getOperation(), device);
    found ? fuseLayers(getOperation(), *found) : signalPassFailure();
  }
};

struct MapLayers : impl::MapLayersPassBase<MapLayers> {
  using MapLayersPassBase::MapLayersPassBase;

  void runOnOperation() override {
    std::unique_ptr<Accelerator> found = requireAccelerator(getOperation(), device);
    found ? mapLayers(getOperation(), *found) : signalPassFailure();
  }
};

struct LowerDevice : impl::LowerDevicePassBase<LowerDevice> {
  using LowerDevicePassBase::LowerDevicePassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<convcore::ConvCoreDialect, graph::GraphDialect>();
    registerDeviceDialects(registry);
  }

  void runOnOperation() override {
    std::unique_ptr<Accelerator> found = requireAccelerator(getOperation(), device);
    OpPassManager own("func.func");
    if (found) {
      found->addPasses(own);
    }
    if (!found || failed(runPipeline(own, getOperation()))) {
      signalPassFailure();
    }
  }
};

} // namespace

void addDevicePasses(OpPassManager &passes) { passes.addPass(createLowerRegionsPass()); }

} // namespace convoy::accelerators
