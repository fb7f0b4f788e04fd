// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the properties of the module that object emission assumes, one clause per function.

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_CHECKCODEGENCONTRACTPASS
#include "Codegen/LLVM/Passes.h.inc"

namespace {

/// [codegen.1] Every op belongs to the LLVM dialect, because only this dialect is translated.
LogicalResult checkDialect(Operation *op) {
  if (!isa<ModuleOp>(op) && !isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect())) {
    return op->emitOpError(
        "breaks [codegen.1]: it remains after the codegen stage, which must lower "
        "every op to the LLVM dialect");
  }
  return success();
}

/// [codegen.2] Every function has a body, except the functions of the runtime and of the user,
/// because a compiled model links no other library.
LogicalResult checkDefined(Operation *op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      function && function.isExternal() &&
      !llvm::is_contained(runtimeFunctions(), function.getName()) &&
      !function->hasAttr(kCustomFunctionAttr)) {
    return op->emitOpError("breaks [codegen.2]: it has no body, and compiled models link no "
                           "library that could define it");
  }
  return success();
}

/// [codegen.3] No op has fast-math flags, because results must not depend on LLVM's order of
/// sums.
LogicalResult checkFastMath(Operation *op) {
  auto flags = dyn_cast<LLVM::FastmathFlagsInterface>(op);
  if (flags && flags.getFastmathAttr() &&
      flags.getFastmathAttr().getValue() != LLVM::FastmathFlags::none) {
    return op->emitOpError("breaks [codegen.3]: it has fast-math flags; floats are never "
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
