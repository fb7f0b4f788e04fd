// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs convoy-memory-plan-arena: plans the storages (Storage.h), then lowers @main
// (LowerMain.h).

#include "Memory/Attributes.h"
#include "Memory/LowerMain.h"
#include "Memory/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace convoy::memory {
#define GEN_PASS_DEF_PLANARENAPASS
#include "Memory/Passes.h.inc"

namespace {
struct PlanArena : impl::PlanArenaPassBase<PlanArena> {
  using PlanArenaPassBase::PlanArenaPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main) {
      module.emitOpError("has no function @main; expected the result of the tasks stage");
      return signalPassFailure();
    }
    StorageMap storages(main, reuse);
    Builder builder(&getContext());
    setArenaBytes(module, storages.arenaBytes());
    module->setAttr(kWeightsAttr, storages.weights(&getContext()));
    module->setAttr(kWeightOffsetsAttr, builder.getDenseI64ArrayAttr(storages.weightOffsets()));
    module->setAttr(kWeightsBytesAttr, builder.getI64IntegerAttr(storages.weightsBytes()));
    if (failed(lowerMain(main, storages))) {
      signalPassFailure();
    }
  }
};
} // namespace
} // namespace convoy::memory
