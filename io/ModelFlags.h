// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags about a model's inputs, read against the model: shapes, dimensions,
// constants.

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

/// Which model, with what pinned.
struct ModelFlags {
  std::string path;
  std::vector<std::string> inputShapes; // "data:1x3x224x224"
  std::vector<std::string> dims;        // "batch=1"
  std::vector<std::string> constants;   // "shape=file.pb"
};

/// "1x3x224x224", "?" for an open dimension; nothing when it is no shape.
std::optional<Shape> parseShape(llvm::StringRef text);

/// Reads --input-shape, --dim and --const. Every wrong flag adds an error that shows the
/// right form or what the model has.
InputPins readModelFlags(const ModelFlags &flags, const Model &model, Problems &problems);

/// An input with what is pinned of it.
struct InputInfo {
  const onnx::ValueInfoProto *value = nullptr;
  std::string name;
  ElementType type = ElementType::Undefined; // Undefined when it is no tensor
  std::optional<Shape> shape;                // -1 where open; nothing without rank

  bool isStatic() const;
};

/// Inputs that need data: neither initializers nor pinned constants.
std::vector<InputInfo> dataInputs(const Model &model, const InputPins &pins);

/// "'a', 'b'": for error messages.
std::string namesOf(llvm::ArrayRef<const onnx::ValueInfoProto *> values);

} // namespace convoy::io
