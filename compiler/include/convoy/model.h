// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX model in memory, the input of the compiler.

#pragma once

#include "convoy/result.h"
#include "convoy/tensor.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

namespace import {
struct Model;
} // namespace import

class CONVOY_API Model {
public:
  /// Reads a model file. External data is read from the file's directory.
  static Result<Model> read(const std::string &path);
  /// Decodes a model from bytes. A model with external data is an error.
  static Result<Model> parse(std::string_view bytes, const std::string &name);

  /// Returns the name of the file without directory and extension.
  const std::string &name() const;
  /// Returns the inputs without an initializer, in order.
  std::vector<TensorInfo> inputs() const;
  std::vector<TensorInfo> outputs() const;

  /// Returns the decoded file, for the compiler itself.
  const import::Model &file() const { return *decoded; }
  explicit Model(std::shared_ptr<const import::Model> decoded) : decoded(std::move(decoded)) {}

private:
  std::shared_ptr<const import::Model> decoded;
};

} // namespace convoy
