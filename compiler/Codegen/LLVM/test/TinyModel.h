// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small model in the form that the memory stage produces: y = relu(x + w) in two kernels with a
// buffer in the arena, and a copy of x.

#ifndef CONVOY_TESTS_CODEGEN_TINYMODEL_H
#define CONVOY_TESTS_CODEGEN_TINYMODEL_H

#include "Codegen/LLVM/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <string>

namespace convoy::test {

class TinyModel {
public:
  TinyModel();
  explicit TinyModel(llvm::StringRef text);
  ~TinyModel();

  mlir::ModuleOp module() { return *parsed; }
  /// Returns the diagnostics of the context, joined by newlines.
  const std::string &diagnostics() const { return log; }

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
  std::string log;
};

/// Returns a model whose only kernel has the given body on %x and %y of 16 floats; %c0 is index 0.
std::string oneKernel(llvm::StringRef body);

/// Returns options that compile for the host under the name "tiny".
codegen::CodegenOptions hostOptions();

} // namespace convoy::test

#endif // CONVOY_TESTS_CODEGEN_TINYMODEL_H
