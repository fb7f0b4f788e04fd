// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When operations of a task run, by their estimated cycles and by whom they wait for.

#pragma once

#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"

namespace convoy::nvdla {

/// Takes groups in an order in which the firmware may start them. A group begins when its
/// engines are free and its data are there: memory's latency after the last of those it
/// waits for is complete. Groups on different engines run at once; memory serves them one
/// after the other.
class Timeline {
public:
  explicit Timeline(const DlaTask &task) : task(task), readyAt(task.ops.size()) {}

  /// Sets when the group begins and ends, and its cycles to those by which it makes the
  /// task longer: none where other work covers it.
  void add(InspectedLayer &layer);

private:
  const DlaTask &task;
  /// When those that an operation waits for are complete.
  std::vector<uint64_t> readyAt;
  std::array<uint64_t, kEngineCount> freeAt = {};
  uint64_t dramFreeAt = 0, end = 0;
};

} // namespace convoy::nvdla
