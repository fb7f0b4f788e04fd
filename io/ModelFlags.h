// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the flags about a model's inputs and checks them against the model: shapes,
// dimensions, constants.

#pragma once

#include "Support/Tensor.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace onnx {
class ValueInfoProto;
} // namespace onnx

namespace convoy::io {

/// The path of a model and the values of its flags.
struct ModelFlags {
  std::string path;
  std::vector<std::string> inputShapes; // "data:1x3x224x224"
  std::vector<std::string> dims;        // "batch=1"
  std::vector<std::string> constants;   // "shape=file.pb"
  std::vector<std::string> customOps;   // "ops.json"
};

/// Parses "1x3x224x224", with "?" for a dynamic dimension. Returns nothing if the text is not
/// a shape.
std::optional<Shape> parseShape(llvm::StringRef text);

/// Reads --input-shape, --dim, --const and --custom-ops. Each wrong flag adds an error that shows
/// the correct form or the names in the model.
InputPins readModelFlags(const ModelFlags &flags, const Model &model, Problems &problems);

/// An input and its type after the flags are applied.
struct InputInfo {
  const onnx::ValueInfoProto *value = nullptr;
  std::string name;
  ElementType type = ElementType::Undefined; // Undefined if the input is not a tensor
  std::optional<Shape> shape; // -1 for a dynamic dimension; nothing if the rank is unknown

  bool isStatic() const;
};

/// Returns the inputs that need data, which are neither initializers nor pinned constants.
std::vector<InputInfo> dataInputs(const Model &model, const InputPins &pins);

/// Returns whether all inputs and outputs are tensors of numbers, which a library takes and returns
/// as the model does. In the table of a library, sequences, optionals and strings have other forms.
bool hasPlainValues(const Model &model);

/// Returns the names for error messages, for example "'a', 'b'".
std::string namesOf(llvm::ArrayRef<const onnx::ValueInfoProto *> values);

} // namespace convoy::io
