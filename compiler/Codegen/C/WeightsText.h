// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights as C arrays, for models small enough that people want one file.

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

/// Elements as a C list without braces. `key` says what
/// they are (CTypes.h).
std::string elementsText(const Tensor &tensor, llvm::StringRef key);

/// What elements of that type are in memory: "f32", "u16" for the bits of a f16.
std::string memoryKey(ElementType type);

} // namespace convoy::codegen
