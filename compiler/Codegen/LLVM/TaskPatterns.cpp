// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the ops of the task dialect to calls of three functions of the model, which
// InsertRegion.cpp defines, and of one function of the runtime. A model has thousands of
// waits; inline loops instead of calls would double LLVM's time for the workers.

#include "Codegen/LLVM/DeviceInit.h"
#include "Codegen/LLVM/MemoryPatterns.h"
#include "Task/Custom.h"
#include "Task/Probe.h"
#include "Task/Team.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace convoy::codegen {

LLVM::LLVMFuncOp declareFunction(Operation *user, StringRef name, LLVM::LLVMFunctionType type,
                                 OpBuilder &builder) {
  auto module = user->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
    return known;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  return builder.create<LLVM::LLVMFuncOp>(module.getLoc(), name, type);
}

void storeStatus(Location loc, Value code, Value error, Value status, OpBuilder &builder) {
  Type integer = builder.getI32Type();
  Value before = builder.create<LLVM::LoadOp>(loc, integer, status);
  Value zero = builder.create<LLVM::ConstantOp>(loc, integer, builder.getI32IntegerAttr(0));
  Value isFine = builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::eq, code, zero);
  Value after = builder.create<LLVM::SelectOp>(loc, isFine, before, error);
  builder.create<LLVM::StoreOp>(loc, after, status);
}

namespace {

/// Calls the function `name` of the model, which waits for or posts a count of a flag. `element` is
/// the first element of the flag.
LLVM::CallOp callFlag(Operation *user, StringRef name, Value flags, int64_t element, Value count,
                      OpBuilder &builder) {
  Location loc = user->getLoc();
  Type pointer = LLVM::LLVMPointerType::get(user->getContext());
  Type integer = builder.getI32Type();
  Value flag = builder.create<LLVM::GEPOp>(loc, pointer, integer, flags,
                                           ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(element)},
                                           /*inbounds=*/true);
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(user->getContext()), {pointer, integer});
  return builder.create<LLVM::CallOp>(loc, declareFunction(user, name, type, builder),
                                      ValueRange{flag, count});
}

/// The common base of the patterns for wait and post.
template <typename Op>
class LowerFlagOp : public ConvertOpToLLVMPattern<Op> {
public:
  LowerFlagOp(const LLVMTypeConverter &converter, StringRef model, StringRef function)
      : ConvertOpToLLVMPattern<Op>(converter), name(symbolName(model, function)) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value count = rewriter.create<LLVM::ConstantOp>(
        op.getLoc(), rewriter.getI32Type(),
        rewriter.getI32IntegerAttr(static_cast<int32_t>(op.getCount())));
    if constexpr (isInLoop) {
      count = rewriter.create<LLVM::AddOp>(op.getLoc(), adaptor.getBase(), count);
    }
    int64_t element = static_cast<int64_t>(op.getWorker()) * task::kFlagElems;
    LLVM::CallOp call = callFlag(op, name, adaptor.getFlags(), element, count, rewriter);
    if constexpr (std::is_same_v<Op, task::WaitOp>) { // the flags of loops are not those of workers
      int64_t number = task::waitNumber(static_cast<int64_t>(op.getWorker()));
      call->setAttr(task::kProbeAttr, rewriter.getI64IntegerAttr(number));
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static constexpr bool isInLoop =
      std::is_same_v<Op, task::TeamWaitOp> || std::is_same_v<Op, task::TeamPostOp>;

  std::string name;
};

/// Lowers a share to a loop around the body that runs until no step remains.
class LowerShare : public ConvertOpToLLVMPattern<task::ShareOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(task::ShareOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type range = rewriter.getI64Type();
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *check = rewriter.createBlock(after);
    rewriter.setInsertionPointToEnd(before);
    SmallVector<Value> operands = takeOperands(op, adaptor, rewriter);
    rewriter.create<LLVM::BrOp>(loc, check);
    FailureOr<Block *> body = rewriter.convertRegionTypes(&op.getBody(), *getTypeConverter());
    if (failed(body)) {
      return failure();
    }
    rewriter.inlineRegionBefore(op.getBody(), after);
    rewriter.setInsertionPointToEnd(*body);
    rewriter.create<LLVM::BrOp>(loc, check);

    rewriter.setInsertionPointToEnd(check);
    auto type =
        LLVM::LLVMFunctionType::get(range, SmallVector<Type>(TypeRange(ValueRange(operands))));
    LLVM::LLVMFuncOp take = declareFunction(op, "convoy_share_take", type, rewriter);
    Value taken = rewriter.create<LLVM::CallOp>(loc, take, operands).getResult();
    // The upper half is the begin, the lower half the end; 0 means no step.
    auto constant = [&](int64_t value) {
      return rewriter.create<LLVM::ConstantOp>(loc, range, rewriter.getI64IntegerAttr(value));
    };
    Value begin = rewriter.create<LLVM::LShrOp>(loc, taken, constant(32));
    Value end = rewriter.create<LLVM::AndOp>(loc, taken, constant(0xffffffff));
    Value isNone = rewriter.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::eq, taken, constant(0));
    rewriter.create<LLVM::CondBrOp>(loc, isNone, after, ValueRange(), *body,
                                    ValueRange{begin, end});
    rewriter.eraseOp(op);
    return success();
  }

private:
  static SmallVector<Value> takeOperands(task::ShareOp op, OpAdaptor adaptor,
                                         ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    Type integer = rewriter.getI32Type();
    SmallVector<Value> operands{rewriter.create<LLVM::GEPOp>(
        loc, LLVM::LLVMPointerType::get(op.getContext()), integer, adaptor.getFlags(),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(op.getWord())}, /*inbounds=*/true)};
    for (uint64_t number : {op.getPart(), op.getParts(), op.getRange(), op.getLeast()}) {
      operands.push_back(rewriter.create<LLVM::ConstantOp>(
          loc, integer, rewriter.getI32IntegerAttr(static_cast<int32_t>(number))));
    }
    return operands;
  }
};

/// Lowers the op to a store of 0. Other workers read the word atomically.
class LowerRenew : public ConvertOpToLLVMPattern<task::TeamRenewOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(task::TeamRenewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value word = rewriter.create<LLVM::GEPOp>(
        loc, LLVM::LLVMPointerType::get(op.getContext()), rewriter.getI32Type(), adaptor.getFlags(),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(op.getWord())},
        /*inbounds=*/true);
    Value zero = rewriter.create<LLVM::ConstantOp>(loc, rewriter.getI64IntegerAttr(0));
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, zero, word, /*alignment=*/8,
                                               /*isVolatile=*/false, /*isNonTemporal=*/false,
                                               LLVM::AtomicOrdering::monotonic);
    return success();
  }
};

/// Lowers rounds to a loop around the body. After each round the worker posts the number of rounds
/// that it has done, and waits until all other workers have posted this number.
class LowerRounds : public ConvertOpToLLVMPattern<task::RoundsOp> {
public:
  LowerRounds(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), postName(symbolName(model, "post")),
        waitName(symbolName(model, "wait")) {}

  LogicalResult matchAndRewrite(task::RoundsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type number = rewriter.getI64Type();
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *head = rewriter.createBlock(after, number, loc);
    FailureOr<Block *> body = rewriter.convertRegionTypes(&op.getBody(), *getTypeConverter());
    if (failed(body)) {
      return failure();
    }
    rewriter.inlineRegionBefore(op.getBody(), after);
    auto constant = [&](int64_t value) -> Value {
      return rewriter.create<LLVM::ConstantOp>(loc, number, rewriter.getI64IntegerAttr(value));
    };
    rewriter.setInsertionPointToEnd(before);
    rewriter.create<LLVM::BrOp>(loc, constant(0), head);

    rewriter.setInsertionPointToEnd(head);
    Value round = head->getArgument(0);
    Value step = rewriter.create<LLVM::MulOp>(loc, round, constant(op.getRange()));
    int64_t part = op.getPart();
    Value begin = rewriter.create<LLVM::AddOp>(loc, step, constant(op.getFirstStep(part)));
    Value end = rewriter.create<LLVM::AddOp>(loc, step, constant(op.getFirstStep(part + 1)));
    rewriter.create<LLVM::BrOp>(loc, ValueRange{begin, end}, *body);

    rewriter.setInsertionPointToEnd(*body);
    Value next = rewriter.create<LLVM::AddOp>(loc, round, constant(1));
    meet(op, adaptor.getFlags(), next, rewriter);
    Value isMore = rewriter.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::slt, next,
                                                 constant(op.getRounds()));
    rewriter.create<LLVM::CondBrOp>(loc, isMore, head, ValueRange{next}, after, ValueRange());
    rewriter.eraseOp(op);
    return success();
  }

private:
  void meet(task::RoundsOp op, Value flags, Value done, OpBuilder &builder) const {
    Value count = builder.create<LLVM::TruncOp>(op.getLoc(), builder.getI32Type(), done);
    auto flagOf = [&](int64_t part) {
      return static_cast<int64_t>(op.getWord()) + part * task::kFlagElems;
    };
    int64_t own = op.getPart();
    callFlag(op, postName, flags, flagOf(own), count, builder);
    for (int64_t part = 0; part < static_cast<int64_t>(op.getParts()); ++part) {
      if (part != own) {
        callFlag(op, waitName, flags, flagOf(part), count, builder);
      }
    }
  }

  std::string postName;
  std::string waitName;
};

/// Lowers the op to a call of the runtime with the name of the state.
class LowerPower : public ConvertOpToLLVMPattern<task::PowerOp> {
public:
  LowerPower(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), model(model) {}

  LogicalResult matchAndRewrite(task::PowerOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(op.getContext());
    Type integer = rewriter.getI32Type();
    Value core = rewriter.create<LLVM::ConstantOp>(
        loc, rewriter.getI32IntegerAttr(static_cast<int32_t>(op.getWorker())));
    Value state = rewriter.create<LLVM::AddressOfOp>(loc, nameOf(op, rewriter));
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(op.getContext()), {integer, pointer});
    LLVM::LLVMFuncOp request = declareFunction(op, "convoy_power_request", type, rewriter);
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, request, ValueRange{core, state});
    return success();
  }

private:
  /// Returns the constant with the name of the state.
  LLVM::GlobalOp nameOf(task::PowerOp op, OpBuilder &builder) const {
    auto module = op->getParentOfType<ModuleOp>();
    std::string name = symbolName(model, "power_" + op.getState().str());
    if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name)) {
      return known;
    }
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    std::string bytes = op.getState().str() + '\0';
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), static_cast<unsigned>(bytes.size()));
    return builder.create<LLVM::GlobalOp>(module.getLoc(), type, /*isConstant=*/true,
                                          LLVM::Linkage::Internal, name,
                                          builder.getStringAttr(bytes));
  }

  std::string model;
};

/// Lowers an offload to a call of the runtime with the addresses of the operands in two
/// arrays.
class LowerOffload : public ConvertOpToLLVMPattern<task::OffloadOp> {
public:
  LowerOffload(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), model(model) {}

  LogicalResult matchAndRewrite(task::OffloadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(op.getContext());
    Type integer = rewriter.getI32Type();
    Value inputs = addresses(loc, adaptor.getInputs(), rewriter);
    Value outputs = addresses(loc, adaptor.getOutputs(), rewriter);
    LLVM::GlobalOp programs = declarePrograms(op->getParentOfType<ModuleOp>(), model, rewriter);
    Value table = rewriter.create<LLVM::AddressOfOp>(loc, programs);
    Value loaded = rewriter.create<LLVM::GEPOp>(
        loc, pointer, programs.getType(), table,
        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(op.getProgram())}, /*inbounds=*/true);
    auto type = LLVM::LLVMFunctionType::get(integer, {pointer, pointer, pointer});
    LLVM::LLVMFuncOp run = declareFunction(op, "convoy_run_program", type, rewriter);
    Value code =
        rewriter.create<LLVM::CallOp>(loc, run, ValueRange{loaded, inputs, outputs}).getResult();
    storeStatus(loc, code, code, adaptor.getStatus(), rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value addresses(Location loc, ValueRange memory, ConversionPatternRewriter &rewriter) {
    Type pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    Value count = rewriter.create<LLVM::ConstantOp>(
        loc, rewriter.getI64IntegerAttr(std::max<int64_t>(memory.size(), 1)));
    Value array = rewriter.create<LLVM::AllocaOp>(loc, pointer, pointer, count);
    for (auto [i, address] : llvm::enumerate(memory)) {
      Value place = rewriter.create<LLVM::GEPOp>(loc, pointer, pointer, array,
                                                 ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)},
                                                 /*inbounds=*/true);
      rewriter.create<LLVM::StoreOp>(loc, address, place);
    }
    return array;
  }

  std::string model;
};

class LowerParallel : public ConvertOpToLLVMPattern<task::ParallelOp> {
public:
  LowerParallel(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), name(symbolName(model, "region")) {}

  LogicalResult matchAndRewrite(task::ParallelOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    clearWords(op, adaptor, rewriter);
    SmallVector<Value> operands{adaptor.getFlags()};
    llvm::append_range(operands, adaptor.getInputs());
    auto type = LLVM::LLVMFunctionType::get(rewriter.getI1Type(),
                                            SmallVector<Type>(TypeRange(ValueRange(operands))));
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, declareFunction(op, name, type, rewriter),
                                              operands);
    return success();
  }

private:
  /// Clears the flags of rounds and the words of shares, which follow the flags of the workers. The
  /// region clears the flags of the workers.
  static void clearWords(task::ParallelOp op, OpAdaptor adaptor,
                         ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    auto flags = static_cast<int32_t>(op.getWorkers().size() * task::kFlagElems);
    int64_t words = cast<MemRefType>(op.getFlags().getType()).getNumElements() - flags;
    if (words == 0) {
      return;
    }
    Value first = rewriter.create<LLVM::GEPOp>(loc, LLVM::LLVMPointerType::get(op.getContext()),
                                               rewriter.getI32Type(), adaptor.getFlags(),
                                               ArrayRef<LLVM::GEPArg>{flags}, /*inbounds=*/true);
    Value zero = rewriter.create<LLVM::ConstantOp>(loc, rewriter.getI8IntegerAttr(0));
    Value bytes = rewriter.create<LLVM::ConstantOp>(
        loc, rewriter.getI64IntegerAttr(words * static_cast<int64_t>(sizeof(int32_t))));
    rewriter.create<LLVM::MemsetOp>(loc, first, zero, bytes, /*isVolatile=*/false);
  }

  std::string name;
};

} // namespace

void populateTaskPatterns(LLVMTypeConverter &converter, StringRef model,
                          RewritePatternSet &patterns) {
  patterns.add<LowerFlagOp<task::WaitOp>>(converter, model, "wait");
  patterns.add<LowerFlagOp<task::PostOp>>(converter, model, "post");
  patterns.add<LowerFlagOp<task::TeamWaitOp>>(converter, model, "wait");
  patterns.add<LowerFlagOp<task::TeamPostOp>>(converter, model, "post");
  patterns.add<LowerOffload, LowerParallel, LowerPower, LowerRounds>(converter, model);
  patterns.add<LowerRenew, LowerShare>(converter);
}

bool isTaskOp(Operation *op) {
  return isa<task::CallCustomOp, task::OffloadOp, task::ParallelOp, task::PostOp, task::PowerOp,
             task::RoundsOp, task::ShareOp, task::TeamPostOp, task::TeamRenewOp, task::TeamWaitOp,
             task::WaitOp>(op);
}

} // namespace convoy::codegen
