// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the branches whose conditions have the same value in the replay of a schedule
// (CheckWorkers.cpp). Two conditions are the same if the same ops compute them from the same bytes
// after the same writes. Writes that are never executed together with one of the two do not count,
// because sides that exclude each other may use the same bytes.

#pragma once

#include "Schedule/TouchedBytes.h"
#include <string>

namespace convoy::schedule {

/// Where a worker evaluates a condition.
struct EvaluationPoint {
  const BranchSides &sides; // around the branch
  mlir::func::FuncOp function;
  mlir::Block *loopBody = nullptr; // whose iterations are replayed; null for a region
  int64_t iteration = 0;
};

class SameConditions {
public:
  SameConditions(KernelTable &kernels, const TouchedBytes &bytes)
      : kernels(kernels), bytes(bytes) {}

  /// Returns an address that stands for the condition: the same for all evaluations that give the
  /// same value.
  const void *conditionOf(mlir::Value value, const EvaluationPoint &point);

private:
  /// An evaluation of a condition: the sides around it and the writes that it sees.
  struct Evaluation {
    BranchSides sides;
    std::map<std::pair<unsigned, int64_t>, BranchSides> writes; // by worker and time
  };
  /// Evaluations that give the same value.
  struct Condition {
    std::vector<Evaluation> evaluations;
  };

  static bool haveSameValue(const Evaluation &a, const Evaluation &b);
  std::string textOf(mlir::Value value, const EvaluationPoint &point, Evaluation &now) const;
  void addWrites(mlir::Operation *load, const EvaluationPoint &point, Evaluation &now) const;

  KernelTable &kernels;
  const TouchedBytes &bytes;
  std::map<std::string, std::vector<std::unique_ptr<Condition>>> conditions; // by text
};

} // namespace convoy::schedule
