// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a file of tuning records, and who may open it.
// docs/reference/tuning-records.md is the page for people.

#pragma once

#include "tuning/records/Database.h"

namespace convoy::tuning {

/// Grows with every change of the tables, and Schema.cpp with the step that brings
/// older files there.
constexpr int64_t kSchemaVersion = 2;

/// Refuses what is no file of records, is damaged, or was written by a newer convoy.
llvm::Error checkReadable(Database &database);

/// The same, and makes the tables in a new file.
llvm::Error prepareForWriting(Database &database);

} // namespace convoy::tuning
