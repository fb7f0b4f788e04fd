// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the passes of the bands stage in order. The stage runs after Kernels, which determines the
// rows of each step, and before Memory, which reuses no memory within a group of bands.

#include "Bands/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::bands {

void addBandsPasses(mlir::OpPassManager &passes, const BandsOptions &options) {
  if (!options.isOn()) {
    return;
  }
  PlanBandsPassOptions settings;
  settings.cacheBytes = options.cacheBytes;
  settings.threads = options.threads;
  settings.takesAll = options.localise == Localise::Always;
  passes.addPass(createPlanBandsPass(settings));
}

} // namespace convoy::bands
