// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model compiled for another machine, run by the emulator that its target's
// description names. Slow, and the only way to check such code here.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Options.h"
#include "Codegen/LLVM/TemporaryFolder.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace convoy::codegen {

/// The emulator's program, found in the path, when this compiler can also build and run
/// a library for it. The error says what is missing.
llvm::Expected<std::string> findEmulator(const targets::Target &target);

class EmulatedModel {
public:
  /// Compiles a module in planned memory, lowering it in place, to a library in a
  /// temporary folder.
  static llvm::Expected<std::unique_ptr<EmulatedModel>> build(mlir::ModuleOp module,
                                                              const CodegenOptions &options);

  const ModelInterface &description() const { return interface; }

  /// Runs on tensors, which must have the inputs' types and shapes.
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
