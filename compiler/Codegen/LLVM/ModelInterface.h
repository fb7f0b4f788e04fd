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
#include <optional>
#include <string>
#include <vector>

namespace convoy::codegen {

// Attributes that convoy-codegen-insert-entry adds to the module.
inline constexpr llvm::StringLiteral kModelAttr = "codegen.model";
inline constexpr llvm::StringLiteral kInputsAttr = "codegen.inputs";
inline constexpr llvm::StringLiteral kOutputsAttr = "codegen.outputs";
/// The number of sizes that depend on data; absent: none.
inline constexpr llvm::StringLiteral kExtentsAttr = "codegen.extents";
/// Their offset in the workspace; absent: the caller provides the buffer.
inline constexpr llvm::StringLiteral kExtentsOffsetAttr = "codegen.extents_offset";

/// Marks the declaration of a C function of the user.
inline constexpr llvm::StringLiteral kCustomFunctionAttr = "codegen.custom_function";

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
  /// For a dimension that depends on data: its maximum.
  Shape shape;
  /// Empty if all dimensions are fixed; else one entry per dimension: -1 if it is fixed, or the
  /// index of its size in the extents that a run writes.
  std::vector<int32_t> dims;
  /// The size of the buffer in bytes. Elements narrower than a byte take one byte each.
  int64_t bytes = 0;
  /// The scales and zero points of a quantized tensor, one for each index of `scaleAxis`, or one
  /// if it is -1. Both are empty if the tensor is not quantized.
  std::vector<float> scales = {};
  std::vector<int32_t> zeroPoints = {};
  int32_t scaleAxis = -1;
  /// The strings that the integers stand for, by index; empty if the tensor has none.
  std::vector<std::string> labels = {};
  /// The offset in the workspace; unset: the caller provides the buffer.
  std::optional<int64_t> offset = {};
  /// The index of the workspace that the offset is in.
  int64_t workspace = 0;
  /// The number of rows of an input that a run fetches from a function of the caller; 0: the input
  /// is in memory.
  int64_t rows = 0;
};

/// A workspace after the first one, for a target with several memories.
struct WorkspaceDescriptor {
  std::string memory; // its name in the target's description
  int64_t bytes = 0;
};

/// The alignment of the workspace of libraries: one cache line, and the widest vector register.
/// Offsets in the arena are multiples of it.
inline constexpr int64_t kWorkspaceAlignmentBytes = 64;

struct ModelInterface {
  std::string model;
  std::vector<TensorDescriptor> inputs;
  std::vector<TensorDescriptor> outputs;
  /// The number of sizes that depend on data. If it is not 0, one more pointer follows the pointers
  /// of the outputs: to this many int64_t, which a run writes.
  int64_t extents = 0;
  /// The offset of the extents in the workspace; unset: the caller provides the buffer.
  std::optional<int64_t> extentsOffset = {};
  int64_t workspaceBytes = 0;
  /// The memory of the workspace if there are more workspaces, and these workspaces.
  std::string workspaceMemory;
  std::vector<WorkspaceDescriptor> moreWorkspaces;
  /// The bytes of weights that start-up code copies to the memory of the workspace.
  int64_t copiedWeightsBytes = 0;
  /// Below kWorkspaceAlignmentBytes only for a microcontroller.
  int64_t workspaceAlignment = kWorkspaceAlignmentBytes;
  int64_t weightsBytes = 0;
  /// The layer with the most bytes of live tensors in the workspace, and these bytes.
  std::string peakNode;
  int64_t peakBytes = 0;
  /// The hash of the tuning records that were used; empty: none.
  std::string records;
  /// The number of threads of a run.
  int64_t threads = 1;
  /// The number of programs that <model>_init loads onto a device; 0: the CPU runs all ops.
  int64_t programs = 0;
  /// The C functions of the user that the model calls, sorted.
  std::vector<std::string> customFunctions;

  // Set when a library is written.
  std::string target;   // name of the target
  std::string features; // CPU features that the code needs, separated by commas
  std::string hash;     // hash of code and weights, 32 hexadecimal digits
  std::string weightsHash;
  bool weightsInFile = false;
  /// Whether the model is C source, which neither checks the CPU nor has a constructor.
  bool isEmittedC = false;

  /// Returns whether the outputs, and the inputs unless hasInputRows(), are parts of the workspace.
  /// A run then takes only the workspace, and the functions that provide rows.
  bool isIoInWorkspace() const;

  /// Returns whether a run fetches the rows of an input from a function of the caller.
  bool hasInputRows() const;

  /// Returns the bytes of all workspaces.
  int64_t allWorkspaceBytes() const;
};

/// The version of the compiler in the table of a model.
llvm::StringRef compilerVersion();

/// Returns the C functions of the user that the module calls, sorted, before or after its lowering
/// to the LLVM dialect.
std::vector<std::string> customFunctionsOf(mlir::ModuleOp module);

/// Reads the attributes that convoy-codegen-insert-entry and the memory stage added to the
/// module.
llvm::Expected<ModelInterface> readInterface(mlir::ModuleOp module);

/// Checks the tensors against the model's inputs. The error names the first tensor that does
/// not match.
llvm::Error checkInputs(llvm::ArrayRef<TensorDescriptor> expected, llvm::ArrayRef<Tensor> tensors);

/// Returns the tensors that a run writes: the outputs, then the extents if there are any.
std::vector<TensorDescriptor> writtenTensors(const ModelInterface &interface);

/// Gives the outputs the sizes that a run wrote, and the strings of their labels. Takes one tensor
/// per entry of writtenTensors() and returns one per output.
llvm::Expected<std::vector<Tensor>> readOutputs(const ModelInterface &interface,
                                                std::vector<Tensor> written);

/// Moves the attributes of main's arguments to the module `module`, where readInterface() reads
/// them.
void recordTensors(mlir::ModuleOp module, mlir::FunctionOpInterface main, llvm::StringRef model);

/// Returns an error if the model's name cannot be the prefix of C symbols.
llvm::Error checkModelName(llvm::StringRef model);

/// Returns an error if a function of a custom op has the name of a function that every model uses
/// or may define.
llvm::Error checkCustomFunctions(mlir::ModuleOp module, llvm::StringRef model);

} // namespace convoy::codegen
