// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns readable names of the tasks in a records file. The file stores only the IR text of a
// task.

#pragma once

#include "tuning/records/RecordStore.h"
#include <map>

namespace convoy::tuning {

/// Returns the names by the hash of the task. A task whose text cannot be parsed has no entry.
llvm::Expected<std::map<std::string, std::string>> recordNames(RecordStore &store);

} // namespace convoy::tuning
