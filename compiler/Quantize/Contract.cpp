// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the contract of the quantize stage. Multipliers are constants, so that a
// device can load them into registers. Floating-point weights are constants, so
// that kernels do not compute them in every inference.

#include "Graph/Constant.h"
#include "Graph/PackedMatrix.h"
#include "Graph/TableNormalization.h"
#include "Quantize/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::quantize {
#define GEN_PASS_DEF_CHECKQUANTIZECONTRACTPASS
#include "Quantize/Passes.h.inc"

namespace {

bool isConstant(Value value) { return graph::constantValue(value).has_value(); }

struct CheckQuantizeContract : impl::CheckQuantizeContractPassBase<CheckQuantizeContract> {
  void runOnOperation() override {
    getOperation().walk([&](graph::RequantizeOp op) {
      check(op, isConstant(op.getMultiplier()) && isConstant(op.getShift()),
            "has a multiplier or shift that is not constant");
    });
    getOperation().walk([&](graph::LookupOp op) {
      check(op, isConstant(op.getTable()), "has a table that is not constant");
    });
    getOperation().walk([&](graph::IntegerLRNOp op) {
      check(op, isConstant(op.getNear()) && isConstant(op.getFar()),
            "has a table that is not constant");
    });
    getOperation().walk([&](graph::DequantizeLinearOp op) {
      bool isFixed = llvm::all_of(op->getOperands(), isConstant);
      check(op, !isFixed || graph::isPackedMatrix(op),
            "dequantizes a constant; expected convoy-quantize-fold-weights to have folded it");
    });
  }

private:
  void check(Operation *op, bool isFine, StringRef problem) {
    if (!isFine) {
      op->emitOpError(problem);
      signalPassFailure();
    }
  }
};

} // namespace

void addQuantizeContract(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createCheckQuantizeContractPass());
}

} // namespace convoy::quantize
