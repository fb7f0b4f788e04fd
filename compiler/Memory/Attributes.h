// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that the memory stage leaves on the module and on the arguments of @main.
// Schedule, Codegen and the tools read them.

#pragma once

#include "Graph/AttributeRules.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <optional>

namespace convoy::memory {

/// The bytes of the arena, of a module.
inline constexpr llvm::StringLiteral kArenaBytesAttr = "memory.arena_bytes";
/// The constants of a module, their offsets in bytes, and the bytes of all of them.
inline constexpr llvm::StringLiteral kWeightsAttr = "memory.weights";
inline constexpr llvm::StringLiteral kWeightOffsetsAttr = "memory.weight_offsets";
inline constexpr llvm::StringLiteral kWeightsBytesAttr = "memory.weights_bytes";
/// The Role of an argument of @main.
inline constexpr llvm::StringLiteral kRoleAttr = "memory.role";

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

/// Returns the index of the argument that is the arena; nullopt if there is none.
std::optional<unsigned> arenaArgument(mlir::FunctionOpInterface main);

/// Return the sizes and the weights of a module; nullopt or null before memory planning.
std::optional<int64_t> arenaBytesOf(mlir::ModuleOp module);
std::optional<int64_t> weightsBytesOf(mlir::ModuleOp module);
mlir::ArrayAttr weightsOf(mlir::ModuleOp module);
mlir::DenseI64ArrayAttr weightOffsetsOf(mlir::ModuleOp module);

void setArenaBytes(mlir::ModuleOp module, int64_t bytes);

} // namespace convoy::memory
