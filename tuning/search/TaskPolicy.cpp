// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the selection by expected gain.

#include "tuning/search/TaskPolicy.h"
#include <algorithm>

namespace convoy::tuning {

std::optional<size_t> GainPolicy::next(llvm::ArrayRef<TaskState> tasks) const {
  std::optional<size_t> best;
  double bestScore = -1;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TaskState &task = tasks[i];
    if (task.proposed >= task.entries) {
      continue;
    }
    if (task.proposed == 0) {
      return i;
    }
    // Rounds in flight share the expected gain. A task without a gain in its last round keeps a
    // chance that decreases with its trials.
    double chance = std::max(task.lastGain / static_cast<double>(1 + task.roundsInFlight),
                             1.0 / static_cast<double>(2 + task.proposed));
    double score = task.bestSeconds * static_cast<double>(task.count) * chance;
    if (score > bestScore) {
      bestScore = score;
      best = i;
    }
  }
  return best;
}

} // namespace convoy::tuning
