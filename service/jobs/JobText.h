// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of jobs in the store: specifications and final states as JSON, states as words.

#pragma once

#include "service/api/TuningApi.h"
#include "service/store/Rows.h"

namespace convoy::service {

/// The limit of the bytes of a worker's text in the database.
inline constexpr size_t kMostResultText = 4096;

std::string toText(const JobSpec &spec);
std::string toText(const JobStatus &status);
/// The error names the job and the field.
llvm::Expected<JobSpec> specOf(const store::JobRow &row);
/// Returns the stored state of an ended job.
llvm::Expected<JobStatus> statusOf(const store::JobRow &row);

/// Returns whether the job of a row has ended. An unknown state counts as ended.
bool isEndedRow(const store::JobRow &row);

/// Returns the compiler version that is stored in records, such as "convoy 0.2.0".
std::string compilerText();

/// Returns the id of the record of a trial.
std::string recordId(const store::TrialId &trial);

/// Returns the row of a new job: state QUEUED, and an id of "j" and 12 hexadecimal digits.
store::JobRow newRow(const JobSpec &spec);
std::vector<store::TaskRow> taskRows(const std::string &job, const JobSpec &spec);

} // namespace convoy::service
