// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory plan of a module: the calls of @main in order, and where and when each tensor of these
// calls is in the arena. convoy-memory-plan-arena writes the plan to the module (DescribePlan.cpp),
// where it stays until code generation. The report of a compile reads it.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>
#include <vector>

namespace convoy::memory {

/// The MemoryPlan of a module: a dictionary of `calls` and `tensors`.
inline constexpr llvm::StringLiteral kPlanAttr = "memory.plan";

/// A call of a kernel in @main.
struct PlannedCall {
  std::string kernel;       // the symbol of the kernel
  std::string nodes;        // that the call computes
  int64_t weightsBytes = 0; // constants that no earlier call reads
};

/// A part of an arena that holds one tensor, or the scratch memory of a call.
struct PlannedTensor {
  int64_t call = -1; // the index of the call that writes the tensor; -1: no call writes it
  bool isScratch = false;
  int64_t arena = 0, offset = 0, bytes = 0;
  /// The calls, by index, between which the memory is in use; both included.
  int64_t first = 0, last = 0;
  /// The rows of a ring; 0 if the memory holds the whole tensor.
  int64_t ringRows = 0;
};

struct MemoryPlan {
  std::vector<PlannedCall> calls;
  /// The tensors that calls read or write, in the order of their first use.
  std::vector<PlannedTensor> tensors;
};

/// Returns the plan of a module; nullopt before memory planning.
std::optional<MemoryPlan> planOf(mlir::ModuleOp module);
void setPlan(mlir::ModuleOp module, const MemoryPlan &plan);

/// Returns whether an attribute has the form that setPlan writes. The dialect's verifier calls it.
bool isPlan(mlir::Attribute attribute);

} // namespace convoy::memory
