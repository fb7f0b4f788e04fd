// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model on disk: a shared library with a C header.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

/// What was written, for a closing summary.
struct LibraryFiles {
  std::string library;
  std::string header;
  std::string weights; // empty when they are linked in
  std::string object;  // empty unless it was to be kept
  ModelInterface interface;
  int64_t codeBytes = 0; // of the object file
};

/// Compiles a module in planned memory, lowering it in place, and writes
/// <model>.so and <model>.h to `directory`, which is made when missing. The same
/// module and options give the same bytes. Not for two threads at once: the linker
/// is not.
llvm::Expected<LibraryFiles> writeLibrary(mlir::ModuleOp module, const CodegenOptions &options,
                                          llvm::StringRef directory);

/// The text of <model>.h.
std::string headerText(const ModelInterface &interface);

/// C identifiers for tensors in their order: letters, digits and '_', no keyword of
/// C or C++, and distinct.
std::vector<std::string> fieldNames(llvm::ArrayRef<TensorDescriptor> tensors);

/// Links object files and archives into a shared library.
llvm::Error linkLibrary(llvm::ArrayRef<std::string> inputs, llvm::StringRef soname,
                        llvm::StringRef output);

} // namespace convoy::codegen
