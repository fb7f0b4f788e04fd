// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that the memory stage leaves on the module and on the arguments of @main.
// Schedule, Codegen and the tools read them.

#pragma once

#include "Graph/AttributeRules.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <optional>
#include <string>
#include <vector>

namespace convoy::memory {

/// The bytes of the arena, of a module.
inline constexpr llvm::StringLiteral kArenaBytesAttr = "memory.arena_bytes";
/// The arenas of a module with several memories, in order: their `memory` and `bytes`. Absent: one
/// arena.
inline constexpr llvm::StringLiteral kArenasAttr = "memory.arenas";
/// The offsets of the constants that start-up code copies to the memory of the first arena.
inline constexpr llvm::StringLiteral kCopiedWeightsAttr = "memory.copied_weights";
/// The alignment in bytes of the arena and of its tensors, of a module; absent: kAlignment.
inline constexpr llvm::StringLiteral kAlignmentAttr = "memory.alignment";
/// The step of @main with the most bytes of live tensors in the arena, of a module: its `node` and
/// the `bytes`.
inline constexpr llvm::StringLiteral kPeakAttr = "memory.peak";
/// The constants of a module, their offsets in bytes, and the bytes of all of them.
inline constexpr llvm::StringLiteral kWeightsAttr = "memory.weights";
inline constexpr llvm::StringLiteral kWeightOffsetsAttr = "memory.weight_offsets";
inline constexpr llvm::StringLiteral kWeightsBytesAttr = "memory.weights_bytes";
/// The Role of an argument of @main.
inline constexpr llvm::StringLiteral kRoleAttr = "memory.role";
/// The offset in the arena of an input or output of @main, whose argument is then unused; absent:
/// the caller provides the memory.
inline constexpr llvm::StringLiteral kOffsetAttr = "memory.offset";

/// The index of the arena that `memory.offset` is in; absent: the first one.
inline constexpr llvm::StringLiteral kArenaAttr = "memory.arena";

/// The number of rows of an input of @main that a run fetches from a function of the caller;
/// absent: the input is in memory.
inline constexpr llvm::StringLiteral kInputRowsAttr = "memory.input_rows";

/// Verifies the attributes with the prefix `memory`.
class MemoryDialect : public graph::AttributeDialect {
public:
  explicit MemoryDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return {"memory"}; }
};

enum class Role { Input, Output, Arena, Weights };
llvm::StringRef nameOf(Role role);

/// Returns the role of an argument; nullopt if it has none.
std::optional<Role> roleOf(mlir::FunctionOpInterface function, unsigned index);
void setRole(mlir::FunctionOpInterface function, unsigned index, Role role);

/// Returns the offset in the arena of an input or output; nullopt if the caller provides the
/// memory.
std::optional<int64_t> arenaOffsetOf(mlir::FunctionOpInterface main, unsigned index);

/// Returns the number of rows of an input that a run fetches; nullopt if it is in memory.
std::optional<int64_t> inputRowsOf(mlir::FunctionOpInterface main, unsigned index);

/// Returns the index of the argument that is the arena; nullopt if there is none.
std::optional<unsigned> arenaArgument(mlir::FunctionOpInterface main);

/// Return the sizes and the weights of a module; nullopt or null before memory planning.
std::optional<int64_t> arenaBytesOf(mlir::ModuleOp module);
std::optional<int64_t> weightsBytesOf(mlir::ModuleOp module);
int64_t alignmentOf(mlir::ModuleOp module);

/// An arena and the name of its memory.
struct Arena {
  std::string memory;
  int64_t bytes = 0;
};

/// Return the arenas of a module with several memories; empty if there is one arena.
std::vector<Arena> arenasOf(mlir::ModuleOp module);
void setArenas(mlir::ModuleOp module, llvm::ArrayRef<Arena> arenas);

/// Returns the offsets of the constants that are copied.
llvm::ArrayRef<int64_t> copiedWeightsOf(mlir::ModuleOp module);

/// The step with the most bytes of live tensors.
struct Peak {
  std::string node;
  int64_t bytes = 0;
};

/// Returns the peak of a module; nullopt if no tensor is in the arena.
std::optional<Peak> peakOf(mlir::ModuleOp module);
void setPeak(mlir::ModuleOp module, const Peak &peak);
mlir::ArrayAttr weightsOf(mlir::ModuleOp module);
mlir::DenseI64ArrayAttr weightOffsetsOf(mlir::ModuleOp module);

void setArenaBytes(mlir::ModuleOp module, int64_t bytes);

} // namespace convoy::memory
