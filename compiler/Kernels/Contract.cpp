// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-check-contract: the clauses about kernel bodies on which Memory and
// Codegen rely. Each clause has a number, which its error cites.

#include "Kernels/Math/Expand.h"
#include "Kernels/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"

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

class CheckKernelsContractPass
    : public impl::CheckKernelsContractPassBase<CheckKernelsContractPass> {
public:
  void runOnOperation() override {
    getOperation()->walk([&](mlir::Operation *op) {
      if (failed(checkMath(op))) {
        signalPassFailure();
      }
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace convoy::kernels
