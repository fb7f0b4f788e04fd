// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a records file for a compile. Implements convoy::recordsIn of convoy/workflow.h. It is a
// library of its own, so that libconvoy.so does not contain the search.

#pragma once

#include "convoy/workflow.h"
#include "tuning/records/Verdict.h"
#include <optional>

namespace convoy::tuning {

/// Opens the records of a file that match the CPU of the request, as measurements for the layout
/// stage. If `verdict` is given, it replaces the stored verdict on the network.
llvm::Expected<std::shared_ptr<const Measurements>>
openRecords(const std::string &file, const CompileRequest &request,
            std::optional<Verdict> verdict = std::nullopt);

} // namespace convoy::tuning
