// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a file of tuning records, and the checks before it is opened.
// docs/reference/tuning-records.md describes the tables for users.

#pragma once

#include "tuning/records/Database.h"

namespace convoy::tuning {

/// The version of the tables. Increment it with every change of the tables, and add the
/// migration step to Schema.cpp.
constexpr int64_t kSchemaVersion = 2;

/// Returns an error if the file does not contain records, is damaged, or was written by a
/// newer convoy.
llvm::Error checkReadable(Database &database);

/// Makes the same checks and creates the tables in a new file.
llvm::Error prepareForWriting(Database &database);

} // namespace convoy::tuning
