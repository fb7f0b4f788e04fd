// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags about a model's inputs, read against the model: shapes, dimensions,
// constants.

#pragma once

#include "Import/Import.h"
#include "Options.h"
#include "Support/Tensor.h"

namespace onnx {
class ValueInfoProto;
} // namespace onnx

namespace convoy::driver {

class DiagnosticLog;

/// "1x3x224x224", "?" for an open dimension; nothing when it is no shape.
std::optional<Shape> parseShape(llvm::StringRef text);

/// Reads --input-shape, --dim and --const. Every wrong flag adds an error that
/// shows the right form or what the model has.
import::ImportOptions readModelFlags(const ModelOptions &options, const import::Model &model,
                                     DiagnosticLog &log);

/// An input with what the flags pin.
struct InputInfo {
  const onnx::ValueInfoProto *value = nullptr;
  std::string name;
  ElementType type = ElementType::Undefined; // Undefined when it is no tensor
  std::optional<Shape> shape;                // -1 where open; nothing without rank

  bool isStatic() const;
};

/// Inputs that need data: neither initializers nor constants by flag.
std::vector<InputInfo> dataInputs(const import::Model &model, const import::ImportOptions &options);

/// "'a', 'b'": for error messages.
std::string namesOf(llvm::ArrayRef<const onnx::ValueInfoProto *> values);

} // namespace convoy::driver
