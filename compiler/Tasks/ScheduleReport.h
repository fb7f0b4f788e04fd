// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule as one page for people: who does what and when, what keeps the end
// waiting, who is idle, and the graph of tasks. All times are predictions.

#pragma once

#include "Tasks/MacroTasks.h"
#include "Tasks/Schedule.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tasks {

/// What a task is called: its kernel, and the ONNX nodes that it computes.
struct TaskLabel {
  std::string kernel;
  std::string nodes;
  /// The band of rows that it is, [first, second), if its run is cut into bands.
  std::optional<Band> band = std::nullopt;
  std::pair<int64_t, int64_t> rows = {0, 0};
};

struct ReportedSchedule {
  const MacroGraph &graph;
  const Candidate &chosen;
  /// Predicted for the plain schedule, to compare with.
  double plainNs = 0;
  /// By task.
  std::vector<TaskLabel> labels;
};

/// Writes well-formed XHTML with inline SVG and style; no script, nothing to load.
void writeReport(llvm::raw_ostream &os, const ReportedSchedule &schedule);

} // namespace convoy::tasks
