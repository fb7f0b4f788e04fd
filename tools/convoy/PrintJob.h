// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The jobs and devices of a tuning service as text and JSON.

#pragma once

#include "service/api/TuningApi.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

/// Returns an object of the API as JSON whose keys are snake_case, as in all verbs.
template <typename Object>
llvm::json::Value apiToJson(const Object &object);

/// Returns one line: state, trials, times.
std::string progressText(const service::JobStatus &job);
/// Prints the state of a job, without its tasks.
void printJob(llvm::raw_ostream &os, const service::JobStatus &job);
/// Prints the best time of each task.
void printTasks(llvm::raw_ostream &os, const service::JobStatus &job);
void printJobs(llvm::raw_ostream &os, const std::vector<service::JobStatus> &jobs);
void printDevices(llvm::raw_ostream &os, const std::vector<service::DeviceStatus> &devices);

} // namespace convoy::tool
