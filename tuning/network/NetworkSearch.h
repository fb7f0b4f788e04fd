// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options and the budget of a tuning run. The command line fills them; TuneModel.h reads them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace convoy::tuning {

struct NetworkSearch {
  int64_t trials = 0; // in total; 0: no limit
  double seconds = 0; // 0: no limit
  size_t batch = 8;
  double timeoutMs = 10000;       // of one candidate
  double waitSeconds = 60;        // for an idle core, in total
  double targetMs = 0;            // stop at this estimated time per inference; 0: never
  bool isWithoutTransfer = false; // do not train the cost model with records of other tasks
  std::string searcher = "mixed";
  uint64_t seed = 0;
};

} // namespace convoy::tuning
