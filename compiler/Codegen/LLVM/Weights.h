// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the weights of a model as the memory stage placed them: constants at offsets.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace convoy::codegen {

/// Calls `place` with each constant and its offset, in ascending order and without overlaps.
/// If possible, constants are views of mapped or shared bytes, so only one constant at a time
/// is in memory.
llvm::Error forEachWeight(mlir::ModuleOp module,
                          llvm::function_ref<llvm::Error(int64_t offset, const Tensor &)> place);

/// Writes `bytes` bytes: the constants at their offsets, and zeros between them.
llvm::Error streamWeights(mlir::ModuleOp module, int64_t bytes, llvm::raw_ostream &stream);

/// Returns 32 hexadecimal digits that depend on all bytes and offsets of the weights.
llvm::Expected<std::string> hashWeights(mlir::ModuleOp module);

/// Returns the hash of any bytes in the same form.
std::string hashBytes(llvm::ArrayRef<uint8_t> bytes);

/// Returns the hash of a model: of its code and of the hash of its weights.
std::string hashModel(llvm::ArrayRef<char> object, llvm::StringRef weightsHash);

/// Writes the file that <model>_open maps, without the digest at its end: the weights, then a
/// trailer with their hash.
llvm::Error streamWeightsFile(mlir::ModuleOp module, int64_t bytes, llvm::StringRef hash,
                              llvm::raw_ostream &stream);

/// Writes an object file that contains only the weights under the hidden symbol `symbol`,
/// aligned to a page. The result equals the result of an assembler's .incbin, but this
/// function does not keep the weights in memory.
llvm::Error writeWeightsObject(mlir::ModuleOp module, int64_t bytes, llvm::StringRef symbol,
                               const llvm::Triple &triple, llvm::StringRef path);

} // namespace convoy::codegen
