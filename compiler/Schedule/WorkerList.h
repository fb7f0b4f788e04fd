// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the list of a worker for the check of a schedule (CheckWorkers.cpp): the order of its ops
// with the branches that it enters, the parts of works that several workers execute, and flags.

#pragma once

#include "Schedule/Schedule.h"
#include "Task/Task.h"
#include <optional>
#include <vector>

namespace convoy::schedule {

/// An entry of the list of a worker.
struct Event {
  enum class Kind { Run, Enter, Leave };
  Kind kind = Kind::Run;
  mlir::Operation *op = nullptr; // the branch of Enter and Leave
  bool isThen = true;
};

/// Returns the ops of a block in order, first those of one side of a branch, then those of the
/// other.
std::vector<Event> eventsOf(mlir::Block &block);

/// A part of a run or of a loop that several workers execute: a share, rounds or a loop.
struct Part {
  mlir::Operation *op = nullptr;
  int64_t word = 0; // the first element of the words or flags
  int64_t elems = 0;
  int64_t part = 0;
  int64_t parts = 0;
  int64_t range = 0;
  int64_t rounds = 1;
};

/// Returns the part that an op is, or a null part.
Part partOf(mlir::Operation *op);

/// Returns the call of which the workers execute parts, or null if the body has other ops or the
/// call does not use the steps of the worker.
task::CallOp calledIn(const Part &part);

/// A wait or a post: the flag, the count, and the base of the count in a loop.
struct Flagging {
  mlir::Operation *op = nullptr;
  int64_t line = 0;
  int64_t count = 0;
  mlir::Value base;
};

/// Returns what a wait awaits, or nullopt for another op.
std::optional<Flagging> waitOf(mlir::Operation *op);
/// Returns what a post posts, or nullopt for another op.
std::optional<Flagging> postOf(mlir::Operation *op);

} // namespace convoy::schedule
