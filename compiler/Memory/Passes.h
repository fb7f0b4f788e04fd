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
