// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model in this process, at the level of the compiler's own values.

#pragma once

#include "Driver/DiagnosticLog.h"
#include "reference/Datum.h"
#include <map>
#include <memory>

namespace convoy::driver {

using reference::Datum;

/// Values of inputs by name.
using NamedData = std::map<std::string, Datum>;

/// The tensors of data that holds nothing else.
std::vector<Tensor> tensorsOf(llvm::ArrayRef<Datum> data);

/// What runs a model. Problems are emitted as diagnostics of the module's context.
class Executable {
public:
  virtual ~Executable() = default;
  /// One input per argument of @main, in order.
  virtual mlir::FailureOr<std::vector<Datum>> run(llvm::ArrayRef<Datum> inputs) = 0;
};

/// An executable with the context that its diagnostics go to.
class LoadedProgram {
public:
  LoadedProgram(std::unique_ptr<CompileContext> context, std::unique_ptr<Executable> executable,
                std::vector<std::string> inputs, std::vector<std::string> outputs)
      : context(std::move(context)), executable(std::move(executable)), inputs(std::move(inputs)),
        outputs(std::move(outputs)) {}

  const std::vector<std::string> &inputNames() const { return inputs; }
  const std::vector<std::string> &outputNames() const { return outputs; }

  /// Runs on the inputs that are left as arguments; other data is ignored. Without a value
  /// the problems say why.
  Result<std::vector<Datum>> run(const NamedData &data);

private:
  std::unique_ptr<CompileContext> context;
  std::unique_ptr<Executable> executable; // before its context
  std::vector<std::string> inputs, outputs;
};

} // namespace convoy::driver
