// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns that lower functions and memory accesses to LLVM ops, with a memref as a plain
// pointer.

#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// Converts a memref type to a pointer of the LLVM dialect.
void convertMemRefsToPointers(mlir::LLVMTypeConverter &converter);

/// Adds patterns for memref.load, store, view, copy, alloca and vector.load, store,
/// maskedload, maskedstore, gather, scatter; also for vector.fma, which must stay fused.
void populateMemoryPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Adds patterns for vector.gather from small tables, which are preferred to those of
/// populateMemoryPatterns.
void populatePermutePatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Adds patterns for the multiply ops of the kernel dialect.
void populateMultiplyPatterns(mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);

/// Adds patterns for func.func, func.call, func.return. Symbols get the model's name as a
/// prefix.
void populateFunctionPatterns(mlir::LLVMTypeConverter &converter, llvm::StringRef model,
                              mlir::RewritePatternSet &patterns);

/// Adds patterns for task.parallel, wait and post.
void populateTaskPatterns(mlir::LLVMTypeConverter &converter, llvm::StringRef model,
                          mlir::RewritePatternSet &patterns);

/// Adds patterns for task.call_custom.
void populateCustomPatterns(mlir::LLVMTypeConverter &converter, llvm::StringRef model,
                            mlir::RewritePatternSet &patterns);

/// Returns the function of the module that `user` is in. Declares it if it does not exist.
mlir::LLVM::LLVMFuncOp declareFunction(mlir::Operation *user, llvm::StringRef name,
                                       mlir::LLVM::LLVMFunctionType type, mlir::OpBuilder &builder);

/// Stores `error` to `status` if `code` is not 0; else keeps an earlier error.
void storeStatus(mlir::Location loc, mlir::Value code, mlir::Value error, mlir::Value status,
                 mlir::OpBuilder &builder);

/// Returns whether the task patterns or the custom patterns lower this op.
bool isTaskOp(mlir::Operation *op);

/// Returns whether the memory patterns lower this op.
bool isLoweredMemoryOp(mlir::Operation *op);

/// Returns the symbol of a function in the object file: net_conv_0 for conv_0.
std::string symbolName(llvm::StringRef model, llvm::StringRef function);

} // namespace convoy::codegen
