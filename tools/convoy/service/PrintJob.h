// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The jobs and devices of a tuning service as text and JSON.

#pragma once

#include "service/api/TuningApi.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

/// Returns a message of the API as JSON whose keys are snake_case, as in all verbs.
llvm::json::Value apiToJson(const google::protobuf::Message &message);

/// Returns one line: state, trials, times.
std::string progressText(const service::JobStatus &job);
/// Prints the state of a job, without its tasks.
void printJob(llvm::raw_ostream &os, const service::JobStatus &job);
/// Prints the best time of each task.
void printTasks(llvm::raw_ostream &os, const service::JobStatus &job);
void printJobs(llvm::raw_ostream &os, const service::JobList &list);
void printDevices(llvm::raw_ostream &os, const service::DeviceList &list);

} // namespace convoy::tool
