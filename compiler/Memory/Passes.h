// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the memory stage; Passes.td says what each takes and gives.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::memory {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Memory/Passes.h.inc"

// What Codegen reads from the module and from the arguments of @main.
constexpr llvm::StringLiteral kArenaBytesAttr = "memory.arena_bytes";
constexpr llvm::StringLiteral kWeightsAttr = "memory.weights";
constexpr llvm::StringLiteral kWeightOffsetsAttr = "memory.weight_offsets";
constexpr llvm::StringLiteral kWeightsBytesAttr = "memory.weights_bytes";
constexpr llvm::StringLiteral kRoleAttr = "memory.role";
constexpr llvm::StringLiteral kLogicalTypeAttr = "graph.type";

/// Every tensor starts at a multiple of this, a cache line.
constexpr int64_t kAlignment = 64;

struct MemoryOptions {
  /// Let tensors that are never alive together share bytes.
  bool reuse = true;
};

/// Adds the stage's passes in order.
void addMemoryPasses(mlir::OpPassManager &passes, const MemoryOptions &options);

/// Adds the check of what Codegen may assume.
void addMemoryContract(mlir::OpPassManager &passes);

} // namespace convoy::memory
