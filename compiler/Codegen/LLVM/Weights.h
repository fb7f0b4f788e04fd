// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of a model, as the memory stage placed them: constants at offsets.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace convoy::codegen {

/// Calls `place` with each constant and its offset, in ascending offsets that do
/// not overlap. Constants are views of mapped or shared bytes where they can be:
/// one at a time is in memory.
llvm::Error forEachWeight(mlir::ModuleOp module,
                          llvm::function_ref<llvm::Error(int64_t offset, const Tensor &)> place);

/// Writes `bytes` bytes: the constants at their offsets, zeros between them.
llvm::Error streamWeights(mlir::ModuleOp module, int64_t bytes, llvm::raw_ostream &stream);

/// 32 hexadecimal digits that change with any byte or offset of the weights.
llvm::Expected<std::string> hashWeights(mlir::ModuleOp module);

/// The hash of any bytes in the same form.
std::string hashBytes(llvm::ArrayRef<uint8_t> bytes);

/// The hash of a model: of its code and, by their hash, its weights.
std::string hashModel(llvm::ArrayRef<char> object, llvm::StringRef weightsHash);

/// Writes the file that <model>_open maps: the weights, then a trailer with their
/// hash.
llvm::Error writeWeightsFile(mlir::ModuleOp module, int64_t bytes, llvm::StringRef hash,
                             llvm::StringRef path);

/// Writes an object file that holds nothing but the weights under the hidden
/// symbol `symbol`, aligned to a page: what an assembler would make of .incbin,
/// without holding them in memory.
llvm::Error writeWeightsObject(mlir::ModuleOp module, int64_t bytes, llvm::StringRef symbol,
                               const llvm::Triple &triple, llvm::StringRef path);

} // namespace convoy::codegen
