// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task dialect's ops as calls of three functions of the model, which
// InsertRegion.cpp writes. Calls, since a model has thousands of waits: a loop in
// place of each would double the time that LLVM takes for the lists.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Tasks/Task.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

/// The function of the model, declared if it is not yet.
LLVM::LLVMFuncOp declare(Operation *user, StringRef name, LLVM::LLVMFunctionType type,
                         OpBuilder &builder) {
  auto module = user->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
    return known;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  return builder.create<LLVM::LLVMFuncOp>(module.getLoc(), name, type);
}

/// What wait and post share.
template <typename Op>
class LowerFlagOp : public ConvertOpToLLVMPattern<Op> {
public:
  LowerFlagOp(const LLVMTypeConverter &converter, StringRef model, StringRef function)
      : ConvertOpToLLVMPattern<Op>(converter), name(symbolName(model, function)) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(op.getContext());
    Type integer = rewriter.getI32Type();
    int32_t offset = static_cast<int32_t>(op.getWorker() * task::kFlagElems);
    Value flag = rewriter.create<LLVM::GEPOp>(loc, pointer, integer, adaptor.getFlags(),
                                              ArrayRef<LLVM::GEPArg>{offset}, /*inbounds=*/true);
    Value count = rewriter.create<LLVM::ConstantOp>(
        loc, integer, rewriter.getI32IntegerAttr(static_cast<int32_t>(op.getCount())));
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(op.getContext()), {pointer, integer});
    rewriter.create<LLVM::CallOp>(loc, declare(op, name, type, rewriter), ValueRange{flag, count});
    rewriter.eraseOp(op);
    return success();
  }

private:
  std::string name;
};

class LowerParallel : public ConvertOpToLLVMPattern<task::ParallelOp> {
public:
  LowerParallel(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), name(symbolName(model, "region")) {}

  LogicalResult matchAndRewrite(task::ParallelOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> operands{adaptor.getFlags()};
    llvm::append_range(operands, adaptor.getInputs());
    auto type = LLVM::LLVMFunctionType::get(rewriter.getI1Type(),
                                            SmallVector<Type>(TypeRange(ValueRange(operands))));
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, declare(op, name, type, rewriter), operands);
    return success();
  }

private:
  std::string name;
};

} // namespace

void populateTaskPatterns(LLVMTypeConverter &converter, StringRef model,
                          RewritePatternSet &patterns) {
  patterns.add<LowerFlagOp<task::WaitOp>>(converter, model, "wait");
  patterns.add<LowerFlagOp<task::PostOp>>(converter, model, "post");
  patterns.add<LowerParallel>(converter, model);
}

bool isTaskOp(Operation *op) { return isa<task::ParallelOp, task::WaitOp, task::PostOp>(op); }

} // namespace convoy::codegen
