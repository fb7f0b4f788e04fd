// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the module to the LLVM dialect. Upstream's patterns lower arithmetic, control flow
// and vectors. Convoy's patterns lower all memory accesses, with a memref as a plain pointer.
// Unsupported ops are reported before the conversion starts, because upstream's patterns would
// treat a memref as a descriptor.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Codegen/LLVM/Passes.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_LOWERTOLLVMPASS
#include "Codegen/LLVM/Passes.h.inc"

namespace {

bool isPlainMemRef(MemRefType type) {
  Type element = type.getElementType();
  return type.hasStaticShape() && type.getRank() <= 1 && type.getLayout().isIdentity() &&
         (element.isIndex() || element.isIntOrFloat());
}

/// Returns whether the op accesses a vector of elements narrower than a byte. Tensors store
/// one element per byte, so such a vector has no representation in memory.
bool hasPackedVector(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    auto memref = dyn_cast<MemRefType>(type);
    if (memref && memref.getElementType().isIntOrFloat() &&
        memref.getElementTypeBitWidth() % 8 != 0) {
      return op->getDialect()->getNamespace() == "vector";
    }
  }
  return false;
}

LogicalResult checkMemRefs(Operation *op) {
  bool touchesMemory = false;
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    if (!memref) {
      continue;
    }
    touchesMemory = true;
    auto ranked = dyn_cast<MemRefType>(type);
    if (!ranked || !isPlainMemRef(ranked)) {
      return emitUnsupported(op, "not supported by code generation: ")
             << type << "; memrefs must be static, one-dimensional and of identity layout";
    }
  }
  if (hasPackedVector(op)) {
    return emitUnsupported(op,
                           "not supported by code generation: a vector of elements narrower than "
                           "a byte in memory; load bytes and compare");
  }
  bool isControl = isa<task::CallOp>(op) || isa<cf::ControlFlowDialect>(op->getDialect()) ||
                   isa<arith::SelectOp>(op);
  if (touchesMemory && !isControl && !isLoweredMemoryOp(op) && !isTaskOp(op)) {
    return emitUnsupported(op,
                           "not supported by code generation: no lowering of this memory access");
  }
  return success();
}

LogicalResult checkInput(ModuleOp module) {
  LogicalResult result = success();
  module.walk([&](Operation *op) {
    if (op->getDialect() && failed(checkMemRefs(op))) {
      result = failure();
    }
  });
  return result;
}

class LowerToLLVMPass : public impl::LowerToLLVMPassBase<LowerToLLVMPass> {
public:
  using impl::LowerToLLVMPassBase<LowerToLLVMPass>::LowerToLLVMPassBase;

  void runOnOperation() override {
    if (failed(checkInput(getOperation()))) {
      signalPassFailure();
      return;
    }
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter converter(&getContext(), options);
    convertMemRefsToPointers(converter);

    RewritePatternSet patterns(&getContext());
    populateFunctionPatterns(converter, model, patterns);
    populateMemoryPatterns(converter, patterns);
    populatePermutePatterns(converter, patterns);
    populateMultiplyPatterns(converter, patterns);
    populateTaskPatterns(converter, model, patterns);
    populateCustomPatterns(converter, model, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);

    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace convoy::codegen
