// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the compile time linear in the number of nodes. Addresses in main are computed again
// after every few calls, so that they are not live in the whole function.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Codegen/LLVM/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_INSERTRELOADSPASS
#include "Codegen/LLVM/Passes.h.inc"

namespace {

class InsertReloadsPass : public impl::InsertReloadsPassBase<InsertReloadsPass> {
public:
  using impl::InsertReloadsPassBase<InsertReloadsPass>::InsertReloadsPassBase;

  void runOnOperation() override {
    std::string main = symbolName(model, "main");
    std::string worker = symbolName(model, "worker_");
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      bool isList = function.getName() == main || function.getName().starts_with(worker);
      if (isList && !function.isExternal()) {
        reloadAll(function);
      }
    }
  }

private:
  void reloadAll(LLVM::LLVMFuncOp function) {
    for (BlockArgument argument : function.getArguments()) {
      if (isa<LLVM::LLVMPointerType>(argument.getType()) &&
          llvm::hasNItemsOrMore(argument.getUses(), calls + 1)) {
        reload(function, argument);
      }
    }
  }

  /// Stores the pointer on the stack and loads it again in each block after a fixed number of
  /// calls.
  void reload(LLVM::LLVMFuncOp main, BlockArgument pointer) {
    OpBuilder builder = OpBuilder::atBlockBegin(&main.getBody().front());
    Location loc = main.getLoc();
    Value one =
        builder.create<LLVM::ConstantOp>(loc, builder.getI64Type(), builder.getI64IntegerAttr(1));
    Value slot = builder.create<LLVM::AllocaOp>(loc, pointer.getType(), pointer.getType(), one);
    Operation *store = builder.create<LLVM::StoreOp>(loc, pointer, slot);
    for (Block &block : main.getBody()) {
      reloadIn(block, pointer, slot, store);
    }
  }

  void reloadIn(Block &block, BlockArgument pointer, Value slot, Operation *store) {
    Value current;
    int64_t sinceReload = 0;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (&op == store) {
        continue;
      }
      if (isa<LLVM::CallOp>(op) && ++sinceReload == calls) {
        sinceReload = 0;
        current = nullptr;
      }
      if (!llvm::is_contained(op.getOperands(), pointer)) {
        continue;
      }
      if (!current) {
        OpBuilder builder(&op);
        current = builder.create<LLVM::LoadOp>(op.getLoc(), pointer.getType(), slot,
                                               /*alignment=*/0, /*isVolatile=*/true);
      }
      op.replaceUsesOfWith(pointer, current);
    }
  }
};

} // namespace
} // namespace convoy::codegen
