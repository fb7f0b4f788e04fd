// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the tasks of a model. Equal kernels of a model share one task.

#pragma once

#include "tuning/space/TaskSpace.h"

namespace convoy::tuning {

struct ModelTask {
  Task task;
  TaskSpace space;
  /// The number of kernels of the model with this task.
  int64_t count = 0;
  /// The share of the model's estimated time, without reorders.
  double weight = 0;
};

struct ModelTasks {
  /// In the order of the model.
  std::vector<ModelTask> tasks;
  /// The number of kernels without a task, which only the generic loops can run.
  int64_t untuned = 0;
};

/// Returns the tasks of a module after the fusion stage. An error concerns the space file of
/// the options.
llvm::Expected<ModelTasks> tasksOf(mlir::ModuleOp module, const SpaceOptions &options,
                                   int64_t threads);

} // namespace convoy::tuning
