// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of `convoy tune`, from tasks to records.

#pragma once

#include "Verbs.h"
#include "tuning/space/ModelTasks.h"

namespace convoy::driver {

/// Tunes, says how far it is, ends with what the whole network gains.
llvm::Error tuneModel(const TuneOptions &options, const tuning::ModelTasks &tasks,
                      Console &console);

} // namespace convoy::driver
