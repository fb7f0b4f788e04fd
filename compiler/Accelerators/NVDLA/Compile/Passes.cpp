// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of NVDLA's passes. Copies follow the choice of images and the split of pools, which
// change the readers of a value. Winograd mode follows the copies, because a copy can be padded to
// whole tiles. Units are fused last, because a Winograd job cannot pass its result to PDP.

#include "Accelerators/NVDLA/Compile/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::nvdla {

void addNvdlaPasses(OpPassManager &passes, llvm::StringRef config) {
  std::string name = config.str();
  passes.addPass(createLowerConvCorePass({name}));
  passes.addPass(createFuseStagesPass());
  passes.addPass(createChooseImagesPass({name}));
  passes.addPass(createSplitPoolsPass({name}));
  passes.addPass(createInsertCopiesPass({name}));
  passes.addPass(createChooseWinogradPass({name}));
  passes.addPass(createFuseUnitsPass({name}));
  passes.addPass(createCheckNvdlaContractPass({name}));
}

} // namespace convoy::nvdla
