// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers functions and calls. Kernels keep their own symbols, so that perf and gdb show them.
// The symbols are hidden from users of the library, and kernels are never inlined.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Task/Task.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

/// Returns the attributes of an argument of the lowered function. Inputs and outputs of a
/// kernel do not overlap, because Memory plans distinct storage for them, so LLVM may move
/// loads across stores. Operands that the kernel updates in place are an exception.
Attribute argumentAttributes(func::FuncOp op, unsigned index, bool isKernel) {
  OpBuilder builder(op.getContext());
  NamedAttrList attributes(op.getArgAttrDict(index));
  auto inPlace = op->getAttrOfType<DenseI64ArrayAttr>(task::kInPlaceAttr);
  bool mayMeet = inPlace && llvm::is_contained(inPlace.asArrayRef(), index);
  if (isKernel && !mayMeet && isa<MemRefType>(op.getArgumentTypes()[index])) {
    attributes.set("llvm.noalias", builder.getUnitAttr());
  }
  return attributes.getDictionary(op.getContext());
}

class LowerFunction : public ConvertOpToLLVMPattern<func::FuncOp> {
public:
  LowerFunction(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), model(model) {}

  LogicalResult matchAndRewrite(func::FuncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    FunctionType type = op.getFunctionType();
    if (type.getNumResults() > 1 ||
        failed(getTypeConverter()->convertSignatureArgs(type.getInputs(), signature))) {
      return rewriter.notifyMatchFailure(op, "has a type that LLVM cannot express");
    }
    Type result = type.getNumResults() == 1 ? getTypeConverter()->convertType(type.getResult(0))
                                            : Type(LLVM::LLVMVoidType::get(getContext()));
    auto lowered = rewriter.create<LLVM::LLVMFuncOp>(
        op.getLoc(), symbolName(model, op.getName()),
        LLVM::LLVMFunctionType::get(result, signature.getConvertedTypes()));
    describe(op, lowered);
    rewriter.inlineRegionBefore(op.getBody(), lowered.getBody(), lowered.end());
    if (failed(rewriter.convertRegionTypes(&lowered.getBody(), *getTypeConverter(), &signature))) {
      return rewriter.notifyMatchFailure(op, "has a block argument that LLVM cannot express");
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void describe(func::FuncOp op, LLVM::LLVMFuncOp lowered) {
    bool isKernel = task::isKernel(op);
    lowered.setVisibility_(LLVM::Visibility::Hidden);
    lowered.setDsoLocal(true);
    OpBuilder builder(op.getContext());
    lowered.setPassthroughAttr(builder.getStrArrayAttr({"noinline", "nounwind"}));
    SmallVector<Attribute> arguments;
    for (unsigned i = 0; i < op.getNumArguments(); ++i) {
      arguments.push_back(argumentAttributes(op, i, isKernel));
    }
    lowered.setArgAttrsAttr(builder.getArrayAttr(arguments));
  }

  StringRef model;
};

class LowerCall : public ConvertOpToLLVMPattern<func::CallOp> {
public:
  LowerCall(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), model(model) {}

  LogicalResult matchAndRewrite(func::CallOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> results;
    if (op.getNumResults() > 1 ||
        failed(getTypeConverter()->convertTypes(op.getResultTypes(), results))) {
      return rewriter.notifyMatchFailure(op, "has a result that LLVM cannot express");
    }
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, results, symbolName(model, op.getCallee()),
                                              adaptor.getOperands());
    return success();
  }

private:
  StringRef model;
};

class LowerReturn : public ConvertOpToLLVMPattern<func::ReturnOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(func::ReturnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, adaptor.getOperands());
    return success();
  }
};

} // namespace

void populateFunctionPatterns(LLVMTypeConverter &converter, StringRef model,
                              RewritePatternSet &patterns) {
  patterns.add<LowerFunction, LowerCall>(converter, model);
  patterns.add<LowerReturn>(converter);
}

std::string symbolName(StringRef model, StringRef function) {
  return (model + "_" + function).str();
}

} // namespace convoy::codegen
