// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the contract of Memory: no op has a tensor result or is a view of a row, and the module
// has the sizes of its memories and the memory plan as attributes.

#include "Memory/Attributes.h"
#include "Memory/MemoryPlan.h"
#include "Memory/Passes.h"
#include "Task/Task.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::memory {
#define GEN_PASS_DEF_CHECKMEMORYCONTRACTPASS
#include "Memory/Passes.h.inc"

namespace {

struct CheckMemoryContract : impl::CheckMemoryContractPassBase<CheckMemoryContract> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!arenaBytesOf(module) || !weightsOf(module)) {
      module.emitOpError(
          "has no attributes with the sizes of arena and weights after memory planning");
      signalPassFailure();
    }
    if (arenaBytesOf(module) && !planOf(module)) {
      module.emitOpError("has no memory plan after memory planning");
      signalPassFailure();
    }
    module.walk([&](Operation *op) {
      bool hasTensor =
          llvm::any_of(op->getResultTypes(), [](Type t) { return isa<TensorType>(t); });
      if (hasTensor) {
        op->emitOpError("still has a tensor result after memory planning");
        signalPassFailure();
      }
      if (isa<task::RowViewOp>(op)) {
        op->emitOpError("remains after memory planning; run convoy-memory-lower-row-views");
        signalPassFailure();
      }
    });
  }
};

} // namespace

void addMemoryContract(OpPassManager &passes) { passes.addPass(createCheckMemoryContractPass()); }

} // namespace convoy::memory
