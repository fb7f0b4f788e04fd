// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the tuning tasks of a model.

#pragma once

#include "convoy/model.h"
#include "convoy/request.h"
#include "tuning/space/ModelTasks.h"

namespace convoy::tuning {

/// Returns the tasks of a model compiled according to the request. If `spaceFile` is not empty, it
/// changes the search spaces.
Result<ModelTasks> networkTasks(const Model &model, const CompileRequest &request,
                                const std::string &spaceFile);

} // namespace convoy::tuning
