// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a compiled model to disk: a shared library and a C header.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

/// The files that were written, for the summary.
struct LibraryFiles {
  std::string library;
  std::string header;
  std::string weights; // empty if they are linked in
  std::string object;  // empty unless it was kept
  ModelInterface interface;
  int64_t codeBytes = 0; // size of the object file
};

/// Compiles a module in planned memory, lowering it in place, and writes <model>.so and
/// <model>.h to `directory`, which is created if it does not exist. The files replace earlier ones
/// together (Support/OutputSet.h). Equal modules and options give equal bytes. Not thread-safe,
/// because the linker is not.
llvm::Expected<LibraryFiles> writeLibrary(mlir::ModuleOp module, const CodegenOptions &options,
                                          llvm::StringRef directory);

/// Returns the text of <model>.h.
std::string headerText(const ModelInterface &interface);

/// Returns a literal of type float in C, with as many digits as restore the value.
std::string floatLiteral(float value);

/// Returns C identifiers for tensors in their order. They consist of letters, digits and '_',
/// are unique, and are not keywords of C or C++.
std::vector<std::string> fieldNames(llvm::ArrayRef<TensorDescriptor> tensors);

/// Returns the name of the structure field for the extents of the outputs.
std::string extentsField(const ModelInterface &interface);

/// Returns the name of a workspace: "workspace", "workspace_1".
std::string workspaceName(size_t index);

/// Returns the parameters of <model>_run for its workspaces: "void *workspace, void *workspace_1".
std::string workspaceParameters(const ModelInterface &interface);

/// Links object files and archives into a shared library. Errors name the path `shown`. If
/// `isBare`, the library has no build id.
llvm::Error linkLibrary(llvm::ArrayRef<std::string> inputs, llvm::StringRef soname,
                        llvm::StringRef output, llvm::StringRef shown, bool isBare = false);

} // namespace convoy::codegen
