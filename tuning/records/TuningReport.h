// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a file of records as one page: the progress of each task's search over trials and
// time, the effect of each knob on the speed, and the failures with their reasons.

#pragma once

#include "tuning/records/RecordStore.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tuning {

/// Splits the settings of a configuration's text: "#kernel.x<tile = [6, 2], fetch = 0>" gives
/// {"tile", "[6, 2]"}, {"fetch", "0"}.
std::vector<std::pair<std::string, std::string>> settingsIn(llvm::StringRef configurationText);

/// Writes the page. `names` maps the hash of a task to a readable name. A task without a name
/// is shown with its hash.
llvm::Error writeTuningReport(llvm::raw_ostream &os, RecordStore &store,
                              const std::map<std::string, std::string> &names);

} // namespace convoy::tuning
