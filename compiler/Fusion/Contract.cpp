// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What later stages may assume after Fusion: every computation stands in a
// kernel. Only constants, views and control flow are left outside.

#include "Fusion/Passes.h"
#include "Graph/OpClass.h"
#include "Graph/Graph.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::fusion {
namespace {

struct CheckFused : PassWrapper<CheckFused, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckFused)
  StringRef getName() const override { return "convoy-fusion-check-contract"; }

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      graph::OpClass kind = graph::classify(op);
      bool isCompute = kind != graph::OpClass::Control && kind != graph::OpClass::None;
      if (isCompute && !isa<graph::ReshapeOp>(op) && !op->getParentOfType<graph::KernelOp>()) {
        op->emitOpError("stands outside graph.kernel after fusion; "
                        "convoy-fusion-fuse-kernels probably missed its class");
        signalPassFailure();
      }
    });
  }
};

} // namespace

void addFusionContract(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(std::make_unique<CheckFused>());
}

} // namespace convoy::fusion
