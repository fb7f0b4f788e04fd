// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the program that loads a model time its kernels and waits, or run kernels repeatedly:
//
//   ask:   again = (*<model>_probe)(number)
//          again == 0?                      -> next
//   run:   call kernel                      -> ask
//   next:
//
// The model only calls a function through a pointer. The program that loads the model
// implements clocks, statistics and the number of runs.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Codegen/LLVM/Passes.h"
#include "Task/Probe.h"
#include "Task/Task.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_INSERTPROBESPASS
#include "Codegen/LLVM/Passes.h.inc"

namespace {

class InsertProbesPass : public impl::InsertProbesPassBase<InsertProbesPass> {
public:
  using impl::InsertProbesPassBase<InsertProbesPass>::InsertProbesPassBase;

  void runOnOperation() override {
    SmallVector<std::pair<LLVM::CallOp, int64_t>> calls;
    getOperation().walk([&](LLVM::CallOp call) {
      auto number = call->getAttrOfType<IntegerAttr>(task::kProbeAttr);
      if (number && (hasWaits || number.getInt() >= 0)) {
        calls.push_back({call, number.getInt()});
      }
    });
    LLVM::GlobalOp pointer = createPointer();
    for (auto [call, number] : calls) {
      probe(call, number, pointer);
    }
  }

private:
  /// The exported variable is null. The program that loads the model sets it.
  LLVM::GlobalOp createPointer() {
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    Location loc = getOperation().getLoc();
    Type type = LLVM::LLVMPointerType::get(&getContext());
    auto global =
        builder.create<LLVM::GlobalOp>(loc, type, /*isConstant=*/false, LLVM::Linkage::External,
                                       symbolName(model, "probe"), Attribute(), /*alignment=*/8);
    builder.createBlock(&global.getInitializerRegion());
    builder.create<LLVM::ReturnOp>(loc, builder.create<LLVM::ZeroOp>(loc, type).getResult());
    return global;
  }

  /// Skips the wait and its probe if the flag has the count already, as most flags have. The load
  /// is the same as in the wait (InsertRegion.cpp).
  static void askIfWaiting(LLVM::CallOp wait, Block *ask, Block *next, OpBuilder &builder) {
    Location loc = wait.getLoc();
    Value flag = wait.getArgOperands()[0], count = wait.getArgOperands()[1];
    Value now = builder.create<LLVM::LoadOp>(
        loc, builder.getI32Type(), flag, /*alignment=*/4, /*isVolatile=*/false,
        /*isNonTemporal=*/false, /*isInvariant=*/false, LLVM::AtomicOrdering::acquire);
    Value isLess = builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::slt, now, count);
    builder.create<LLVM::CondBrOp>(loc, isLess, ask, next);
  }

  void probe(LLVM::CallOp call, int64_t number, LLVM::GlobalOp pointer) {
    Location loc = call.getLoc();
    Block *before = call->getBlock();
    Block *run = before->splitBlock(call);
    Block *next = run->splitBlock(std::next(Block::iterator(call)));
    Block *ask = new Block();
    before->getParent()->getBlocks().insert(Region::iterator(run), ask);

    OpBuilder builder = OpBuilder::atBlockEnd(before);
    if (number < 0) {
      askIfWaiting(call, ask, next, builder);
    } else {
      builder.create<LLVM::BrOp>(loc, ask);
    }
    builder.setInsertionPointToEnd(ask);
    Type pointerType = LLVM::LLVMPointerType::get(&getContext());
    Value address = builder.create<LLVM::AddressOfOp>(loc, pointer);
    Value function = builder.create<LLVM::LoadOp>(loc, pointerType, address);
    Value id = builder.create<LLVM::ConstantOp>(loc, builder.getI64IntegerAttr(number));
    auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {builder.getI64Type()});
    auto again = builder.create<LLVM::CallOp>(loc, type, ValueRange{function, id});
    Value zero = builder.create<LLVM::ConstantOp>(loc, builder.getI32IntegerAttr(0));
    Value isWanted =
        builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, again.getResult(), zero);
    builder.create<LLVM::CondBrOp>(loc, isWanted, run, next);
    builder.setInsertionPointToEnd(run);
    builder.create<LLVM::BrOp>(loc, ask);
  }
};

} // namespace

} // namespace convoy::codegen
