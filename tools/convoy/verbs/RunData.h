// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of `convoy run` that evaluates a data set.

#pragma once

#include "tools/convoy/Verbs.h"

namespace convoy::tool {

/// Runs a model on every sample of --data.
ExitCode runData(const RunFlags &options, Console &console);

} // namespace convoy::tool
