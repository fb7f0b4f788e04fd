// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One model on one target: import, compile, run. What the verbs of the driver
// and the conformance runner share.

#pragma once

#include "DiagnosticLog.h"
#include "Import/Import.h"
#include "Target.h"
#include <map>

namespace onnx {
class ValueInfoProto;
} // namespace onnx

namespace convoy::driver {

/// Values of inputs by name.
using NamedData = std::map<std::string, Datum>;

/// The inputs of a model that no initializer gives, in order.
std::vector<const onnx::ValueInfoProto *> freeInputs(const import::Model &model);
std::vector<const onnx::ValueInfoProto *> outputs(const import::Model &model);

/// Takes shapes that `options` does not pin from the data.
void pinShapes(import::ImportOptions &options, const NamedData &data);

/// Whether every tensor in the module has a static shape.
bool isStatic(mlir::ModuleOp module);

/// A model compiled for a target. Its context and diagnostics live as long.
class Session {
public:
  Session();

  mlir::MLIRContext *context() { return &mlirContext; }
  DiagnosticLog &log() { return diagnostics; }

  /// Imports the model; null after diagnostics.
  mlir::OwningOpRef<mlir::ModuleOp> import(const import::Model &model,
                                           const import::ImportOptions &options);

  /// Compiles a module. Problems are in log().
  mlir::LogicalResult compile(mlir::OwningOpRef<mlir::ModuleOp> module, const Target &target,
                              const TargetOptions &options);

  /// Runs on the inputs that are left as arguments; other data is ignored.
  mlir::FailureOr<std::vector<Datum>> run(const NamedData &data);

  llvm::ArrayRef<std::string> inputNames() const { return inputs; }
  llvm::ArrayRef<std::string> outputNames() const { return results; }

private:
  mlir::MLIRContext mlirContext;
  DiagnosticLog diagnostics;
  std::unique_ptr<Executable> executable;
  std::vector<std::string> inputs, results;
};

} // namespace convoy::driver
