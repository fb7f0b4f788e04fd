// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the memory stage, which Passes.td describes.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::memory {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Memory/Passes.h.inc"

/// The alignment of every tensor on a CPU with caches: a cache line.
constexpr int64_t kAlignment = 64;
/// The alignment of constants on a microcontroller: one load instruction reads several bytes.
constexpr int64_t kWordBytes = 4;

/// A memory that tensors can be placed in.
struct DataMemory {
  std::string name;
  int64_t bytes = 0; // 0: unlimited
};

struct MemoryOptions {
  /// Lets tensors share bytes if they are not live at the same time.
  bool reuse = true;
  /// The alignment of tensors in bytes. Below kAlignment, the arena ends with its last tensor and
  /// constants have the alignment of their elements, but at least kWordBytes.
  int64_t alignment = kAlignment;
  /// The memories of tensors, the fastest one first. The first one also holds the inputs and
  /// outputs that are not in the arena. Empty: one unlimited memory.
  std::vector<DataMemory> memories;
  /// Copies constants to the first memory as long as it has free bytes.
  bool copiesWeights = false;
  /// Runs consecutive layers row by row where this needs less memory, and places results over
  /// consumed rows of operands.
  bool rows = false;
};

/// Adds the stage's passes in order.
void addMemoryPasses(mlir::OpPassManager &passes, const MemoryOptions &options);

/// Adds the check of the properties that Codegen may assume.
void addMemoryContract(mlir::OpPassManager &passes);

} // namespace convoy::memory
