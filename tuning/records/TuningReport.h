// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of records as one page: how the search of each task went, by trials and by time,
// what each knob did to the speed, what failed and why.

#pragma once

#include "tuning/records/RecordStore.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tuning {

/// The settings of a configuration's text, "#kernel.x<tile = [6, 2], fetch = 0>" to {"tile",
/// "[6, 2]"}, {"fetch", "0"}.
std::vector<std::pair<std::string, std::string>> settingsIn(llvm::StringRef configurationText);

/// Writes the page. `names` are of tasks for people, by hash; a task without one is shown
/// by its hash.
llvm::Error writeTuningReport(llvm::raw_ostream &os, RecordStore &store,
                              const std::map<std::string, std::string> &names);

} // namespace convoy::tuning
