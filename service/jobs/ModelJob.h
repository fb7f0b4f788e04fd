// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a job that names a model instead of tasks.

#pragma once

#include "service/api/TuningApi.h"

namespace convoy::service {

/// Imports the ONNX file and returns the tasks that `convoy tune --list-tasks` lists for the target
/// and the number of threads of the specification.
llvm::Expected<std::vector<TaskSpec>> tasksOfModel(const std::string &file, const JobSpec &spec);

} // namespace convoy::service
