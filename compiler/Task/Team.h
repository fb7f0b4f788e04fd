// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the ops of Team.td and the attributes of loops. Memory notes the number of iterations,
// Schedule writes loops that several workers execute, and both code generators lower their ops.

#pragma once

#include "Task/Task.h"

#define GET_OP_CLASSES
#include "Task/Team.h.inc"

namespace convoy::task {

/// An attribute of a loop: the maximum number of its iterations, if it is constant.
inline constexpr llvm::StringLiteral kIterationsAttr = "task.iterations";

/// An attribute of a loop in a worker: the worker's part of a loop that several workers execute
/// together, as a dictionary of the members of Team.
inline constexpr llvm::StringLiteral kTeamAttr = "task.team";

/// All `parts` workers of a loop evaluate its condition and execute the same iterations. The last
/// value that the loop carries is the base of the counts of an iteration.
struct Team {
  /// The flag of the first worker of the loop. The flags have one cache line each and follow the
  /// flags of the workers.
  int64_t line = 0;
  int64_t part = 0;
  int64_t parts = 0;
  /// By how much the base grows per iteration.
  int64_t steps = 0;

  /// Returns the part of a loop that an op is; nullopt if it is none.
  static std::optional<Team> of(mlir::Operation *op);
  void setOn(mlir::Operation *loop) const;
  /// Returns the element of the flags at which the flag of this part begins.
  int64_t flag() const { return (line + part) * kFlagElems; }
};

} // namespace convoy::task
