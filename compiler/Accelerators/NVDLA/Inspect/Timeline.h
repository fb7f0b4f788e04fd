// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times at which the operations of a task run, from estimated cycles and dependences.

#pragma once

#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"

namespace convoy::nvdla {

/// Processes groups in an order in which the firmware may start them. A group begins when its
/// engines are free and its data is available: the memory latency after the last group that it
/// waits for. Groups on different engines run in parallel; the memory serves them one after the
/// other.
class Timeline {
public:
  explicit Timeline(const DlaTask &task) : task(task), readyAt(task.ops.size()) {}

  /// Sets the begin and end of the group, and sets its cycles to the time by which it extends the
  /// task: 0 if other work hides it.
  void add(InspectedLayer &layer);

private:
  const DlaTask &task;
  /// When the dependences of each operation are complete.
  std::vector<uint64_t> readyAt;
  std::array<uint64_t, kEngineCount> freeAt = {};
  uint64_t dramFreeAt = 0, end = 0;
};

} // namespace convoy::nvdla
