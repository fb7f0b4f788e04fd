// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers functions and calls. Kernels keep their own symbols, so that perf and gdb show them.
// The symbols are hidden from users of the library, and kernels are never inlined.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Task/Probe.h"
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
Attribute argumentAttributes(FunctionOpInterface op, unsigned index) {
  OpBuilder builder(op.getContext());
  NamedAttrList attributes(op.getArgAttrDict(index));
  auto kernel = dyn_cast<task::KernelOp>(*op);
  if (kernel && !kernel.isInPlace(index) && isa<MemRefType>(op.getArgumentTypes()[index])) {
    attributes.set("llvm.noalias", builder.getUnitAttr());
  }
  return attributes.getDictionary(op.getContext());
}

/// Lowers kernels, main and workers.
template <typename FunctionOp>
class LowerFunction : public ConvertOpToLLVMPattern<FunctionOp> {
public:
  LowerFunction(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern<FunctionOp>(converter), model(model) {}

  LogicalResult matchAndRewrite(FunctionOp op, typename FunctionOp::Adaptor /*adaptor*/,
                                ConversionPatternRewriter &rewriter) const override {
    const LLVMTypeConverter &converter = *this->getTypeConverter();
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    FunctionType type = op.getFunctionType();
    if (type.getNumResults() > 1 ||
        failed(converter.convertSignatureArgs(type.getInputs(), signature))) {
      return rewriter.notifyMatchFailure(op, "has a type that LLVM cannot express");
    }
    Type result = type.getNumResults() == 1 ? converter.convertType(type.getResult(0))
                                            : Type(LLVM::LLVMVoidType::get(op.getContext()));
    auto lowered = rewriter.create<LLVM::LLVMFuncOp>(
        op.getLoc(), symbolName(model, op.getName()),
        LLVM::LLVMFunctionType::get(result, signature.getConvertedTypes()));
    describe(op, lowered);
    rewriter.inlineRegionBefore(op.getBody(), lowered.getBody(), lowered.end());
    if (failed(rewriter.convertRegionTypes(&lowered.getBody(), converter, &signature))) {
      return rewriter.notifyMatchFailure(op, "has a block argument that LLVM cannot express");
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void describe(FunctionOpInterface op, LLVM::LLVMFuncOp lowered) {
    lowered.setVisibility_(LLVM::Visibility::Hidden);
    lowered.setDsoLocal(true);
    OpBuilder builder(op.getContext());
    lowered.setPassthroughAttr(builder.getStrArrayAttr({"noinline", "nounwind"}));
    SmallVector<Attribute> arguments;
    for (unsigned i = 0; i < op.getNumArguments(); ++i) {
      arguments.push_back(argumentAttributes(op, i));
    }
    lowered.setArgAttrsAttr(builder.getArrayAttr(arguments));
  }

  StringRef model;
};

class LowerCall : public ConvertOpToLLVMPattern<task::CallOp> {
public:
  LowerCall(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), model(model) {}

  LogicalResult matchAndRewrite(task::CallOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Attribute probe = op->getAttr(task::kProbeAttr);
    auto call = rewriter.replaceOpWithNewOp<LLVM::CallOp>(
        op, TypeRange(), symbolName(model, op.getKernel()), adaptor.getOperands());
    if (probe) {
      call->setAttr(task::kProbeAttr, probe);
    }
    return success();
  }

private:
  StringRef model;
};

template <typename ReturnOp>
class LowerReturn : public ConvertOpToLLVMPattern<ReturnOp> {
public:
  using ConvertOpToLLVMPattern<ReturnOp>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ReturnOp op, typename ReturnOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, adaptor.getOperands());
    return success();
  }
};

} // namespace

void populateFunctionPatterns(LLVMTypeConverter &converter, StringRef model,
                              RewritePatternSet &patterns) {
  patterns.add<LowerFunction<func::FuncOp>, LowerFunction<task::KernelOp>, LowerCall>(converter,
                                                                                      model);
  patterns.add<LowerReturn<func::ReturnOp>, LowerReturn<task::ReturnOp>>(converter);
}

std::string symbolName(StringRef model, StringRef function) {
  return (model + "_" + function).str();
}

} // namespace convoy::codegen
