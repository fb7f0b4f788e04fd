// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is tuned. The layout stage defines it, since a compile looks measurements up by it.

#pragma once

#include "Layout/Task.h"

namespace convoy::tuning {

using layout::Task;
using layout::TaskSettings;

} // namespace convoy::tuning
