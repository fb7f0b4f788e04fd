// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the memory stage, which Passes.td describes.

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

// Attributes of the module and of the arguments of @main that Codegen reads.
constexpr llvm::StringLiteral kArenaBytesAttr = "memory.arena_bytes";
constexpr llvm::StringLiteral kWeightsAttr = "memory.weights";
constexpr llvm::StringLiteral kWeightOffsetsAttr = "memory.weight_offsets";
constexpr llvm::StringLiteral kWeightsBytesAttr = "memory.weights_bytes";
constexpr llvm::StringLiteral kRoleAttr = "memory.role";
constexpr llvm::StringLiteral kLogicalTypeAttr = "graph.type";

/// The alignment of every tensor: a cache line.
constexpr int64_t kAlignment = 64;

struct MemoryOptions {
  /// Lets tensors share bytes if they are not live at the same time.
  bool reuse = true;
};

/// Adds the stage's passes in order.
void addMemoryPasses(mlir::OpPassManager &passes, const MemoryOptions &options);

/// Adds the check of the properties that Codegen may assume.
void addMemoryContract(mlir::OpPassManager &passes);

} // namespace convoy::memory
