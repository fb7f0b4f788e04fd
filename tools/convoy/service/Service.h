// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuning service for the verbs. A build without the service has NoService.cpp instead, whose
// functions fail with a sentence that says so.

#pragma once

#include "tools/convoy/Request.h"
#include "tuning/space/ModelTasks.h"

namespace convoy::tool {

/// Whether --records names a service: "service:URL".
inline bool isServiceRecords(llvm::StringRef records) { return records.starts_with("service:"); }

/// Returns measurements that ask the service of --records; the error names the flag.
Result<std::shared_ptr<const Measurements>> openServiceRecords(const BuildFlags &flags,
                                                               const CompileRequest &request);

/// Tunes the tasks as a job of the service of --service and prints the result. `printed` is the
/// exit code.
llvm::Error tuneByService(const TuneFlags &options, const Request &request,
                          const tuning::ModelTasks &tasks, ExitCode &printed, Console &console);

} // namespace convoy::tool
