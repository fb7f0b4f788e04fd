// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the tuning tasks of a model, and opens a records file for a compile.

#pragma once

#include "convoy/model.h"
#include "convoy/request.h"
#include "tuning/records/Verdict.h"
#include "tuning/space/ModelTasks.h"
#include <optional>

namespace convoy::tuning {

/// Returns the tasks of a model compiled according to the request. If `spaceFile` is not empty, it
/// changes the search spaces.
Result<ModelTasks> networkTasks(const Model &model, const CompileRequest &request,
                                const std::string &spaceFile);

/// Opens the records of a file that match the CPU of the request, as measurements for the layout
/// stage. If `verdict` is given, it replaces the stored verdict on the network.
llvm::Expected<std::shared_ptr<const layout::Measurements>>
openRecords(const std::string &file, const CompileRequest &request,
            std::optional<Verdict> verdict = std::nullopt);

} // namespace convoy::tuning
