// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a model: its kernels by meaning, each once.

#pragma once

#include "tuning/space/TaskSpace.h"

namespace convoy::tuning {

struct ModelTask {
  Task task;
  TaskSpace space;
  /// Kernels of the model that it is.
  int64_t count = 0;
  /// Its share of the model's estimated time, without reorders.
  double weight = 0;
};

struct ModelTasks {
  /// In the order of the model.
  std::vector<ModelTask> tasks;
  /// Kernels that have no task: only the generic loops take their data.
  int64_t untuned = 0;
};

/// The tasks of a module behind the fusion stage. Errors are those of the user's file in
/// the options.
llvm::Expected<ModelTasks> tasksOf(mlir::ModuleOp module, const SpaceOptions &options,
                                   int64_t threads);

} // namespace convoy::tuning
