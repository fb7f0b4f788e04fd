// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a compiled model for its callers: its tensors and the size of the workspace. The
// header, the loader and the tools use it.

#pragma once

#include "Graph/AttributeRules.h"
#include "Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace convoy::codegen {

// Attributes that convoy-codegen-insert-entry adds to the module.
inline constexpr llvm::StringLiteral kModelAttr = "codegen.model";
inline constexpr llvm::StringLiteral kInputsAttr = "codegen.inputs";
inline constexpr llvm::StringLiteral kOutputsAttr = "codegen.outputs";

/// Verifies the attributes with the prefix `codegen`.
class CodegenDialect : public graph::AttributeDialect {
public:
  explicit CodegenDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return {"codegen"}; }
};

struct TensorDescriptor {
  /// The name in the ONNX file.
  std::string name;
  ElementType type = ElementType::Undefined;
  Shape shape;
  /// The size of the buffer in bytes. Elements narrower than a byte take one byte each.
  int64_t bytes = 0;
  /// The scales and zero points of a quantised tensor, one for each index of `scaleAxis`, or one
  /// if it is -1. Both are empty if the tensor is not quantised.
  std::vector<float> scales = {};
  std::vector<int32_t> zeroPoints = {};
  int32_t scaleAxis = -1;
};

struct ModelInterface {
  std::string model;
  std::vector<TensorDescriptor> inputs;
  std::vector<TensorDescriptor> outputs;
  int64_t workspaceBytes = 0;
  int64_t weightsBytes = 0;
  /// The hash of the tuning records that were used; empty: none.
  std::string records;
  /// The number of threads of a run.
  int64_t threads = 1;
  /// The number of programs that <model>_init loads onto a device; 0: the CPU runs all ops.
  int64_t programs = 0;

  // Set when a library is written.
  std::string target;   // name of the target
  std::string features; // CPU features that the code needs, separated by commas
  std::string hash;     // hash of code and weights, 32 hexadecimal digits
  std::string weightsHash;
  bool weightsInFile = false;
  /// Whether the model is C source, which neither checks the CPU nor has a constructor.
  bool isSource = false;
};

/// The alignment of the workspace: one cache line, and the widest vector register. Offsets in the
/// arena are multiples of it.
inline constexpr int64_t kWorkspaceAlignmentBytes = 64;

/// The version of the compiler in the table of a model.
llvm::StringRef compilerVersion();

/// Returns the description of an argument of the lowered main function as an entry of
/// kInputsAttr or kOutputsAttr.
mlir::DictionaryAttr interfaceEntry(mlir::FunctionOpInterface main, unsigned index);

/// Reads the attributes that convoy-codegen-insert-entry and the memory stage added to the
/// module.
llvm::Expected<ModelInterface> readInterface(mlir::ModuleOp module);

/// Checks the tensors against the model's inputs. The error names the first tensor that does
/// not match.
llvm::Error checkInputs(llvm::ArrayRef<TensorDescriptor> expected, llvm::ArrayRef<Tensor> tensors);

/// Returns an error if the model's name cannot be the prefix of C symbols.
llvm::Error checkModelName(llvm::StringRef model);

} // namespace convoy::codegen
