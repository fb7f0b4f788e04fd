// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps the inputs and outputs of a model to the arguments and results of its function. In compiled
// code, each tensor of a sequence or optional is one argument or result.

#pragma once

#include "Driver/ModelInputs.h"
#include "convoy/result.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/Datum.h"
#include <map>

namespace convoy::driver {

using reference::Datum;

/// Input values by name.
using NamedData = std::map<std::string, Datum>;

class ModelSignature {
public:
  ModelSignature() = default;
  ModelSignature(const import::Model &model, mlir::func::FuncOp main);

  /// The inputs that the function reads and the outputs, by their names in the model.
  const std::vector<std::string> &inputNames() const { return inputs; }
  const std::vector<std::string> &outputNames() const { return outputs; }

  /// Returns whether the function takes or returns the tensors of a collection, or indices of
  /// strings.
  bool isConverted() const { return isFlat || hasStrings; }

  /// Returns the arguments of the function. Adds an error for each input without data, and for
  /// each collection that holds other tensors than the compiled function takes.
  std::vector<Datum> argumentsOf(const NamedData &data, Problems &problems) const;

  /// Returns the outputs of the model.
  std::vector<Datum> outputsOf(std::vector<Datum> results) const;

private:
  /// A declared value: its kinds from the outside to the tensor.
  struct Form {
    std::string name;
    std::vector<Datum::Kind> kinds;
  };
  static std::vector<Form> formsOf(llvm::ArrayRef<const onnx::ValueInfoProto *> values);

  void checkCollections(const NamedData &data, Problems &problems) const;

  bool isFlat = false;
  bool hasStrings = false;                     // in an output of the model
  std::vector<std::string> inputs, outputs;    // of the model
  std::vector<std::string> arguments, results; // of the function
  std::vector<Form> inputForms, outputForms;   // empty unless isFlat
};

} // namespace convoy::driver
