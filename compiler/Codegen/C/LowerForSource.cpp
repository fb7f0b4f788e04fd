// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites ops that have no operator in C. The patterns are upstream's; this file selects
// them.

#include "Codegen/C/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_LOWERFORSOURCEPASS
#include "Codegen/C/Passes.h.inc"

namespace {

class LowerForSourcePass : public impl::LowerForSourcePassBase<LowerForSourcePass> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    arith::populateExpandBFloat16Patterns(owned);
    arith::populateCeilFloorDivExpandOpsPatterns(owned);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatternsAndFoldGreedily(getOperation(), patterns))) {
      getOperation()->emitOpError(
          "lowering for C does not reach a fixed point; this is a bug in convoy");
      signalPassFailure();
    }
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace convoy::codegen
