// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the results of `explain` and `inspect` to JSON, for the command line and for Python.

#pragma once

#include "Driver/Backends/Device/ExplainModel.h"
#include "Driver/InspectModel.h"
#include "convoy/report.h"
#include "llvm/Support/JSON.h"

namespace convoy::report {

/// Returns the placement of each node on a device, or the reason why it stays on the CPU.
llvm::json::Object explanationToJson(const std::string &model,
                                     const driver::Explanation &explanation,
                                     const Problems &problems);

/// Returns the kernels on a CPU in execution order.
llvm::json::Object kernelsToJson(const std::string &model, const CompileReport &report,
                                 const Problems &problems);

/// Returns the share of a time in the predicted time of all kernels.
double shareOf(double ns, const GenericLoops &loops);

/// Returns the facts of a model file of `fileBytes` bytes.
llvm::json::Object inspectedToJson(const std::string &model, int64_t fileBytes,
                                   const driver::InspectedModel &facts);

} // namespace convoy::report
