// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-check-contract: the clauses about kernel bodies on which Memory and
// Codegen rely. Each clause has a number, which its error cites.

#include "Kernels/Math/Expand.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace convoy::kernels {

#define GEN_PASS_DEF_CHECKKERNELSCONTRACTPASS
#include "Kernels/Passes.h.inc"

namespace {

/// [kernels.1] Every math op is a single exact IEEE 754 operation. Both code generators emit such
/// ops as instructions. Any other math op would become a call into libm, and compiled models do not
/// link libm.
mlir::LogicalResult checkMath(mlir::Operation *op) {
  if (llvm::isa_and_nonnull<mlir::math::MathDialect>(op->getDialect()) && !isExactMathOp(op)) {
    return op->emitOpError("breaks [kernels.1]: it remains after the kernels stage and would call "
                           "libm; run convoy-kernels-lower-math");
  }
  return mlir::success();
}

/// Checks that no op writes the memory or a view of it. Intrinsics have no memory effects, so they
/// are not checked.
mlir::LogicalResult checkReadOnly(mlir::Value memory, unsigned argument) {
  for (mlir::Operation *user : memory.getUsers()) {
    if (llvm::isa<mlir::MemoryEffectOpInterface>(user) &&
        mlir::hasEffect<mlir::MemoryEffects::Write>(user, memory)) {
      return user->emitOpError("breaks [kernels.2]: it writes argument ")
             << argument << " of its kernel, whose access is `read`";
    }
    if (llvm::isa<mlir::ViewLikeOpInterface>(user) &&
        failed(checkReadOnly(user->getResult(0), argument))) {
      return mlir::failure();
    }
  }
  return mlir::success();
}

/// [kernels.2] A kernel writes only arguments whose access permits it. The schedule orders calls by
/// their accesses.
mlir::LogicalResult checkAccess(task::KernelOp kernel) {
  for (unsigned i = 0; !kernel.isExternal() && i < kernel.getNumMemories(); ++i) {
    if (!kernel.mayWrite(i) && failed(checkReadOnly(kernel.getArgument(i), i))) {
      return mlir::failure();
    }
  }
  return mlir::success();
}

class CheckKernelsContractPass
    : public impl::CheckKernelsContractPassBase<CheckKernelsContractPass> {
public:
  void runOnOperation() override {
    getOperation()->walk([&](mlir::Operation *op) {
      auto kernel = llvm::dyn_cast<task::KernelOp>(op);
      if (failed(checkMath(op)) || (kernel && failed(checkAccess(kernel)))) {
        signalPassFailure();
      }
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace convoy::kernels
