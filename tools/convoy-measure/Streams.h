// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the throughput of a compiled model that several threads of one program run at the same
// time, for `convoy bench --streams`.

#pragma once

#include "Program.h"

namespace convoy::measure {

struct StreamTimes {
  std::vector<double> allPerSecond; // inferences of all streams, one entry per round
  std::vector<double> onePerSecond; // inferences of one stream, measured in turn
  std::vector<double> latencyMs;    // of inferences while all streams run
};

StreamTimes measureStreams(const Spec &spec);

} // namespace convoy::measure
