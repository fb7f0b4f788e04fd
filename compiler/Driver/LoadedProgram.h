// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model in this process. Its values are reference::Datum, which can be sequences;
// InMemoryModel of the public interface wraps it for tensors.

#pragma once

#include "Driver/DiagnosticLog.h"
#include "Driver/ModelSignature.h"
#include "convoy/table.h"
#include <memory>

namespace convoy::driver {

class MicroProgram;
/// Converts data that contains only tensors.
std::vector<Tensor> tensorsOf(llvm::ArrayRef<Datum> data);

/// Runs a model. An executable emits its problems as diagnostics of the module's context.
class Executable {
public:
  virtual ~Executable() = default;
  /// Takes one input per argument of @main, in order.
  virtual mlir::FailureOr<std::vector<Datum>> run(llvm::ArrayRef<Datum> inputs) = 0;
  /// Returns the table of the model; null if the model cannot run on buffers of this process.
  virtual const convoy_model *table() const { return nullptr; }
  /// Returns the program if the target is a microcontroller; else null.
  virtual const MicroProgram *micro() const { return nullptr; }
};

} // namespace convoy::driver

namespace convoy {

/// An executable and the context of its diagnostics. convoy/artifact.h declares the class for users
/// of the compiler.
class LoadedProgram {
public:
  LoadedProgram(std::unique_ptr<driver::CompileContext> context,
                std::unique_ptr<driver::Executable> executable, driver::ModelSignature signature)
      : context(std::move(context)), executable(std::move(executable)),
        signature(std::move(signature)) {}

  const std::vector<std::string> &inputNames() const { return signature.inputNames(); }
  const std::vector<std::string> &outputNames() const { return signature.outputNames(); }
  /// Returns whether the table takes or returns the tensors of a sequence or optional, or indices
  /// of strings.
  bool isConverted() const { return signature.isConverted(); }

  const convoy_model *table() const { return executable->table(); }
  const driver::MicroProgram *micro() const { return executable->micro(); }

  /// Runs the model. Ignores data for inputs that the compiler made constant or removed.
  /// If the run fails, the result has problems and no value.
  Result<std::vector<driver::Datum>> run(const driver::NamedData &data);

private:
  std::unique_ptr<driver::CompileContext> context;
  std::unique_ptr<driver::Executable> executable; // destroyed before its context
  driver::ModelSignature signature;
};

} // namespace convoy
