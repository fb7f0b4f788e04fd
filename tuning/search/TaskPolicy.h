// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the task of the next round of a search. A policy is a function of the states of the
// tasks, so a restored search selects the tasks that the unbroken search selects.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <cstdint>
#include <optional>

namespace convoy::tuning {

/// The state of a task before a round.
struct TaskState {
  /// The number of kernels of the model with this task.
  int64_t count = 1;
  /// The number of tried or proposed entries, and the number of entries of the space.
  size_t proposed = 0, entries = 0;
  /// The number of rounds whose results are not applied yet.
  size_t roundsInFlight = 0;
  /// The best time of one run among the applied results; 0 if not known.
  double bestSeconds = 0;
  /// The relative gain of the best time in the last applied round, 0 to 1.
  double lastGain = 1;
};

class TaskPolicy {
public:
  virtual ~TaskPolicy() = default;
  /// Returns the index of a task with entries that were not proposed, or nothing if there is none.
  virtual std::optional<size_t> next(llvm::ArrayRef<TaskState> tasks) const = 0;
};

/// Selects each task once, then the task whose next round is expected to save the most time of the
/// model, estimated from its last round.
class GainPolicy : public TaskPolicy {
public:
  std::optional<size_t> next(llvm::ArrayRef<TaskState> tasks) const override;
};

} // namespace convoy::tuning
