// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller of a compiled model needs to know: its tensors and the bytes of
// workspace. The header, the loader and the tools all read this.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace convoy::codegen {

// What convoy-codegen-insert-entry leaves on the module.
inline constexpr llvm::StringLiteral kModelAttr = "codegen.model";
inline constexpr llvm::StringLiteral kInputsAttr = "codegen.inputs";
inline constexpr llvm::StringLiteral kOutputsAttr = "codegen.outputs";

struct TensorDescriptor {
  /// As in the ONNX file.
  std::string name;
  ElementType type = ElementType::Undefined;
  Shape shape;
  /// Bytes of the buffer; elements narrower than a byte take one each.
  int64_t bytes = 0;
};

struct ModelInterface {
  std::string model;
  std::vector<TensorDescriptor> inputs;
  std::vector<TensorDescriptor> outputs;
  int64_t workspaceBytes = 0;
  int64_t weightsBytes = 0;
  /// The hash of the tuning records that it was compiled with; empty: none.
  std::string records;
  /// Of the parallel region that a run is.
  int64_t threads = 1;
  /// Programs that <model>_init loads onto a device; 0: the CPU runs everything.
  int64_t programs = 0;

  // Known once a library is written.
  std::string target;   // its name
  std::string features; // that the CPU must have, separated by commas
  std::string hash;     // of code and weights, 32 hexadecimal digits
  bool weightsInFile = false;
  /// The model is C source: nothing is checked or started before a run.
  bool isSource = false;
};

/// Reads what convoy-codegen-insert-entry and the memory stage left on the
/// module.
llvm::Expected<ModelInterface> readInterface(mlir::ModuleOp module);

/// Whether tensors are what the model's inputs expect; the error names the first that
/// is not.
llvm::Error checkInputs(llvm::ArrayRef<TensorDescriptor> expected, llvm::ArrayRef<Tensor> tensors);

/// The model's name if it can prefix C symbols, else an error saying so.
llvm::Error checkModelName(llvm::StringRef model);

} // namespace convoy::codegen
