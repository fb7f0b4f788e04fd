// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a whole function from graph ops to convcore ops without a device.

#include "Accelerators/Passes.h"
#include "ConvCore/FromGraph.h"

using namespace mlir;

namespace convoy::accelerators {
#define GEN_PASS_DEF_LOWERGRAPHPASS
#include "Accelerators/Passes.h.inc"

namespace {

struct LowerGraph : impl::LowerGraphPassBase<LowerGraph> {
  void runOnOperation() override {
    mlir::Block &block = getOperation().getBody().front();
    OpBuilder builder(block.getTerminator());
    IRMapping mapping;
    for (BlockArgument argument : block.getArguments()) {
      mapping.map(argument, argument);
    }
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator()) {
      ops.push_back(&op);
    }
    int64_t number = 0;
    for (Operation *op : ops) {
      std::string reason = isa<graph::ConstantOp>(op)
                               ? ""
                               : convcore::lowerFromGraph(op, number++, mapping, builder);
      if (!reason.empty()) {
        op->emitOpError("cannot be lowered to convcore: ") << reason;
        return signalPassFailure();
      }
    }
    Operation *terminator = block.getTerminator();
    for (OpOperand &operand : terminator->getOpOperands()) {
      operand.set(mapping.lookupOrDefault(operand.get()));
    }
    for (Operation *op : llvm::reverse(ops)) {
      if (op->use_empty()) {
        op->erase();
      }
    }
  }
};

} // namespace
} // namespace convoy::accelerators
