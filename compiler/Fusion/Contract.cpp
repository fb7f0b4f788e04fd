// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the contract of Fusion: every computation is inside a kernel. Only constants, views
// and control flow are outside kernels.

#include "Fusion/Passes.h"
#include "Graph/Graph.h"
#include "Graph/OpFacts.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::fusion {
#define GEN_PASS_DEF_CHECKFUSIONCONTRACTPASS
#include "Fusion/Passes.h.inc"

namespace {

struct CheckFusionContract : impl::CheckFusionContractPassBase<CheckFusionContract> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      bool isCompute = graph::classify(op) != graph::OpClass::None && !graph::needsNoKernel(op);
      if (isCompute && !op->getParentOfType<graph::KernelOp>()) {
        op->emitOpError("is outside graph.kernel after fusion; "
                        "expected convoy-fusion-fuse-kernels to handle every op of its class");
        signalPassFailure();
      }
    });
  }
};

} // namespace

void addFusionContract(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createCheckFusionContractPass());
}

} // namespace convoy::fusion
