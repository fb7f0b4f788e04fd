// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What object emission may assume of the module, clause by clause.

#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_CHECKCODEGENCONTRACTPASS
#include "Codegen/LLVM/Passes.h.inc"

namespace {

/// [codegen.1] Every op is of the LLVM dialect: only that one is translated.
LogicalResult checkDialect(Operation *op) {
  if (!isa<ModuleOp>(op) && !isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect())) {
    return op->emitOpError("breaks [codegen.1]: it is left after the codegen stage, which lowers "
                           "everything to the LLVM dialect");
  }
  return success();
}

/// [codegen.2] No function is only declared, but those of the runtime: a compiled
/// model links no other library.
LogicalResult checkDefined(Operation *op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      function && function.isExternal() &&
      !llvm::is_contained(runtimeFunctions(), function.getName())) {
    return op->emitOpError("breaks [codegen.2]: it has no body, and compiled models link no "
                           "library that could hold it");
  }
  return success();
}

/// [codegen.3] No op carries fast-math flags: results must not depend on how LLVM
/// rearranges sums.
LogicalResult checkFastMath(Operation *op) {
  auto flags = dyn_cast<LLVM::FastmathFlagsInterface>(op);
  if (flags && flags.getFastmathAttr() &&
      flags.getFastmathAttr().getValue() != LLVM::FastmathFlags::none) {
    return op->emitOpError("breaks [codegen.3]: it carries fast-math flags; floats are never "
                           "reassociated");
  }
  return success();
}

class CheckCodegenContractPass
    : public impl::CheckCodegenContractPassBase<CheckCodegenContractPass> {
public:
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (failed(checkDialect(op)) || failed(checkDefined(op)) || failed(checkFastMath(op))) {
        signalPassFailure();
      }
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace convoy::codegen
