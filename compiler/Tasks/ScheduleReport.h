// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule as one page for people: who does what and when, what keeps the end
// waiting, who is idle, and the graph of tasks. All times are predictions.

#pragma once

#include "Tasks/MacroTasks.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tasks {

/// What a task is called: its kernel, and the ONNX nodes that it computes.
struct TaskLabel {
  std::string kernel;
  std::string nodes;
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
