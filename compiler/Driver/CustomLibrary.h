// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the C files of custom ops: into this process for the reference and for models in memory,
// and to objects for libraries. Only files that the user declares in a request are compiled.

#pragma once

#include "Graph/Custom.h"
#include "Import/CustomOps.h"
#include "Support/TemporaryFolder.h"
#include "Targets/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::driver {

class CustomLibrary : public graph::CustomFunctions {
public:
  /// `compiler` is the C compiler for this machine; empty: the first one on the path.
  CustomLibrary(mlir::Dialect *dialect, std::shared_ptr<const import::CustomOps> ops,
                std::string compiler);
  ~CustomLibrary() override;

  /// Makes the ops of a request available to all models of a context. Does nothing without ops.
  static void attach(mlir::MLIRContext &context, std::shared_ptr<const import::CustomOps> ops,
                     const std::string &compiler);

  llvm::Expected<convoy_custom_function *> find(llvm::StringRef function) const override;

  /// Returns the objects, and the shared libraries of the C library, that define the functions.
  llvm::Expected<std::vector<std::string>> objectsFor(const targets::Target &target,
                                                      llvm::ArrayRef<std::string> functions) const;
  /// Returns the C files that define the functions.
  std::vector<std::string> sourcesOf(llvm::ArrayRef<std::string> functions) const;

private:
  llvm::Error prepareFolder() const;
  llvm::Error load() const;
  llvm::Expected<std::vector<std::string>> command(const targets::Target &target) const;
  llvm::Expected<std::string> compile(const std::string &source, const targets::Target &target,
                                      bool isForProcess) const;
  /// Returns the path of the library of mathematics, or a text that is no absolute path.
  llvm::Expected<std::string> mathLibraryFor(const targets::Target &target) const;
  llvm::Error checkFunctions(const std::string &source, llvm::StringRef object) const;

  std::shared_ptr<const import::CustomOps> ops;
  std::string compiler;
  // The files exist from the first use on. The interface of dialects is const.
  mutable TemporaryFolder folder;
  mutable void *handle = nullptr;
};

/// Returns the objects that define the functions of custom ops which the module calls.
llvm::Expected<std::vector<std::string>> customObjectsFor(mlir::ModuleOp module,
                                                          const targets::Target &target);
/// Returns the C files that define them.
std::vector<std::string> customSourcesOf(mlir::ModuleOp module);

} // namespace convoy::driver
