// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a model is searched, and for how long: what the command line says and the tuner takes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace convoy::tuning {

struct NetworkSearch {
  int64_t trials = 0; // in all; 0: no bound
  double seconds = 0; // 0: no bound
  size_t batch = 8;
  double timeoutMs = 10000;       // of one candidate
  double waitSeconds = 60;        // for a free core, in all
  double targetMs = 0;            // enough when an inference is estimated to take this; 0: never
  bool isWithoutTransfer = false; // each task starts with nothing that others have taught
  std::string searcher = "mixed";
  uint64_t seed = 0;
};

} // namespace convoy::tuning
