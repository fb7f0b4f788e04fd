// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a schedule as the functions of the workers. convoy-schedule-plan-workers uses it. A layer
// is a schedule of the works of @main or of one iteration of a loop; the loops of a layer that
// several workers execute have layers of their own.

#pragma once

#include "Schedule/MacroTasks.h"
#include "Schedule/Schedule.h"

namespace convoy::schedule {

struct Layer {
  llvm::ArrayRef<Work> works;
  Schedule schedule;
  std::map<unsigned, Layer> loops; // by work
  /// By work: the word of its share, or the element of its first flag if it has rounds or is a loop
  /// of several workers. The writer assigns them.
  std::vector<int64_t> words = {};
};

/// Schedules the bodies of the loops of a layer for the number of workers that `order` gives them,
/// and inserts the waits of the layer.
Layer planLayer(llvm::ArrayRef<Work> works, llvm::ArrayRef<Placement> order, unsigned workers,
                int64_t grainNs, Scheduler scheduler, bool isBody = false);

/// Writes a function per worker and the parallel region of @main, whose fallback is the old body of
/// @main. `states` holds the power state of each work of the layer, or is empty.
void writeRegion(mlir::func::FuncOp main, Layer &layer, llvm::ArrayRef<std::string> states,
                 KernelTable &kernels);

} // namespace convoy::schedule
