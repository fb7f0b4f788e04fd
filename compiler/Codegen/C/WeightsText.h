// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints weights as C arrays, for models that are small enough for one file.

#pragma once

#include "Codegen/C/FunctionPrinter.h"
#include "Support/Tensor.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

struct WeightsText {
  explicit WeightsText(llvm::StringRef model) : model(model.str()) {}

  /// Prints every constant of the module.
  llvm::Error add(mlir::ModuleOp module);

  std::string text;
  WeightNames names;

private:
  std::string model;
  int64_t count = 0;
};

/// Returns the elements as a C list without braces. `key` is their type (CTypes.h).
std::string elementsText(const Tensor &tensor, llvm::StringRef key);

/// Returns the key of elements of this type in memory: "f32", or "u16" for the bits of an f16.
std::string memoryKey(ElementType type);

} // namespace convoy::codegen
