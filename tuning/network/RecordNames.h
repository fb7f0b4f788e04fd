// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for people of the tasks in a file of records, which stores their texts alone.

#pragma once

#include "tuning/records/RecordStore.h"
#include <map>

namespace convoy::tuning {

/// By the task's hash; a task whose text cannot be read has no entry.
llvm::Expected<std::map<std::string, std::string>> recordNames(RecordStore &store);

} // namespace convoy::tuning
