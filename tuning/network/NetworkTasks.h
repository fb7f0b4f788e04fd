// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is to tune in a model, and the records that a compile of it may take.

#pragma once

#include "convoy/model.h"
#include "convoy/request.h"
#include "tuning/records/Verdict.h"
#include "tuning/space/ModelTasks.h"
#include <optional>

namespace convoy::tuning {

/// The tasks of a model compiled as the request says. `spaceFile`, when not empty, changes
/// their spaces.
Result<ModelTasks> networkTasks(const Model &model, const CompileRequest &request,
                                const std::string &spaceFile);

/// The records of a file that are for the CPU of the request, as a source of measurements;
/// `verdict` decides instead of what they say of the network, when given.
llvm::Expected<std::shared_ptr<const layout::Measurements>>
openRecords(const std::string &file, const CompileRequest &request,
            std::optional<Verdict> verdict = std::nullopt);

} // namespace convoy::tuning
