// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule as an HTML page: the tasks of each core over time, the critical path, idle times and
// the task graph. All times are predictions.

#pragma once

#include "Schedule/MacroTasks.h"
#include "Schedule/Schedule.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::schedule {

/// The name of a task: its kernel and the ONNX nodes that it computes.
struct TaskLabel {
  std::string kernel;
  std::string nodes;
  /// The band of the task and its rows [first, second), if its run is split into bands.
  std::optional<Band> band = std::nullopt;
  std::pair<int64_t, int64_t> rows = {0, 0};
};

struct ReportedSchedule {
  const MacroGraph &graph;
  const ScheduleCandidate &chosen;
  /// Predicted time of the schedule in program order, for comparison.
  double plainNs = 0;
  /// By task.
  std::vector<TaskLabel> labels;
};

/// Writes well-formed XHTML with inline SVG and styles, without scripts or external resources.
void writeReport(llvm::raw_ostream &os, const ReportedSchedule &schedule);

} // namespace convoy::schedule
