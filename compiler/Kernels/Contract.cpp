// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the stages after Kernels may assume of kernel bodies, clause by clause.

#include "Kernels/Math/Expand.h"
#include "Kernels/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace convoy::kernels {

#define GEN_PASS_DEF_CHECKKERNELSCONTRACTPASS
#include "Kernels/Passes.h.inc"

namespace {

/// [kernels.1] Math ops are exact single operations. Both exits print or select
/// them as instructions; any other would become a call into libm, which compiled
/// models do not link.
mlir::LogicalResult checkMath(mlir::Operation *op) {
  if (llvm::isa_and_nonnull<mlir::math::MathDialect>(op->getDialect()) && !isExactMathOp(op)) {
    return op->emitOpError("breaks [kernels.1]: it is left after the kernels stage and would call "
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
