// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the definition of a task from the Layout stage, which looks up measurements by task.

#pragma once

#include "Layout/Task.h"

namespace convoy::tuning {

using layout::Task;
using layout::TaskSettings;

} // namespace convoy::tuning
