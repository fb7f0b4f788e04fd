// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model that was compiled for another machine under the emulator of its target
// description. This is slow, but the only way to check such code on this machine.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Options.h"
#include "Support/TemporaryFolder.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace convoy::codegen {

/// Returns the path of the emulator if this compiler can also build and run a library for the
/// target. The error names the missing part.
llvm::Expected<std::string> findEmulator(const targets::Target &target);

class EmulatedModel {
public:
  /// Compiles a module in planned memory to a library in a temporary folder. Lowers the module
  /// in place.
  static llvm::Expected<std::unique_ptr<EmulatedModel>> build(mlir::ModuleOp module,
                                                              const CodegenOptions &options);

  const ModelInterface &description() const { return interface; }

  /// Runs on tensors, which must have the types and shapes of the inputs.
  llvm::Expected<std::vector<Tensor>> run(llvm::ArrayRef<Tensor> in) const;

private:
  EmulatedModel() = default;

  std::vector<std::string> commandLine(llvm::ArrayRef<std::string> inputs,
                                       llvm::ArrayRef<std::string> outputs) const;

  ModelInterface interface;
  std::string emulator; // its path
  targets::Target target;
  TemporaryFolder folder;
  std::string library, runner;
};

} // namespace convoy::codegen
