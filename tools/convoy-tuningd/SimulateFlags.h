// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of `convoy-tuningd simulate`.

#pragma once

#include "service/simulate/Simulation.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace convoy::tuningd {

struct SimulateFlags {
  std::vector<std::string> loads{"all"}, policies;
  int seeds = 10, lookAhead = 1;
  std::optional<int> devices, searchSlots, buildSlots;
  std::string faults, times, gantt;
  bool isJson = false, isMarkdown = false, checks = false;
};

/// Reads "worker=SECONDS,device=SECONDS,hung=SHARE,lease=SECONDS,return=SECONDS,limit=SECONDS".
llvm::Expected<service::FaultPlan> parseFaults(llvm::StringRef text);

} // namespace convoy::tuningd
