// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How functions and memory accesses become LLVM ops when a memref is a plain
// pointer.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir {
class LLVMTypeConverter;
class MLIRContext;
class MemRefType;
class Operation;
class RewritePatternSet;
} // namespace mlir

namespace convoy::codegen {

/// A pointer of the LLVM dialect stands for the whole memref.
void convertMemRefsToPointers(mlir::LLVMTypeConverter &converter);

/// memref.load, store, view, copy, alloca and vector.load, store, maskedload,
/// maskedstore, gather, scatter; also vector.fma, which must stay fused.
void populateMemoryPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// func.func, func.call, func.return with symbols prefixed by the model's name.
void populateFunctionPatterns(mlir::LLVMTypeConverter &converter, llvm::StringRef model,
                              mlir::RewritePatternSet &patterns);

/// task.parallel, wait and post.
void populateTaskPatterns(mlir::LLVMTypeConverter &converter, llvm::StringRef model,
                          mlir::RewritePatternSet &patterns);

/// Whether the patterns of tasks lower this op.
bool isTaskOp(mlir::Operation *op);

/// Whether the patterns above lower this op's use of memrefs.
bool isLoweredMemoryOp(mlir::Operation *op);

/// The symbol of a function in the object: net_conv_0 for conv_0.
std::string symbolName(llvm::StringRef model, llvm::StringRef function);

} // namespace convoy::codegen
