// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A range of rounds for kernels whose phases need all results of the phase before, such as
// Winograd's transforms and products. The tasks of a round share the items of a phase, so that no
// task repeats the work of another one.

#pragma once

#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"

namespace convoy::kernels {

/// Tasks of a round. Most numbers of threads up to 8 divide it.
constexpr int64_t kRoundParts = 56;
/// With fewer tasks in one round, the last tasks of several threads would end at different times.
constexpr int64_t kPlainTasks = 64;

class PartRounds : private LoopNest {
public:
  PartRounds(KernelFunction &function, int64_t parts)
      : LoopNest(function.b), function(function), parts(parts) {}

  /// Emits the body of the function: for each of `repeats`, a round per phase. Calls body(phase,
  /// repeat) to emit a phase. Completes the function.
  void emit(int64_t repeats, int64_t phases, llvm::function_ref<void(int64_t, mlir::Value)> body);

  /// The number of the task in its round. Valid in the body.
  mlir::Value part() const { return number; }
  /// Emits a loop over the items in [0, count) that the task handles.
  void loopItems(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// Returns the first of `count` items that the task handles, and the end of its items.
  std::pair<mlir::Value, mlir::Value> items(int64_t count);

private:
  KernelFunction &function;
  int64_t parts;
  mlir::Value number;
};

} // namespace convoy::kernels
