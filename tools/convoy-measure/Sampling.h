// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How time is taken.

#pragma once

#include "Peak.h"
#include "Program.h"

namespace convoy::measure {

/// What is known of one program.
struct Timing {
  double loadMs = 0, firstMs = 0;
  std::vector<double> ms; // one inference each
};

struct Cold {
  Timing timing;
  double residentMb = 0;
};

/// Loads one program into this process, which has done nothing else, and runs it a
/// few times.
Cold measureCold(const Spec &spec);

struct Comparison {
  Timing compiled, peer; // no samples where a program is not measured
  std::vector<double> peakGflops;
};

/// Runs the programs in turn, A B A B ..., with bursts of the peak in between.
Comparison compare(const Spec &spec);

/// Runs the peer once and writes its outputs.
void writePeerOutputs(const Spec &spec);

/// Runs a program until its caches, pages and threads are as they will stay.
/// Returns the shortest time of an inference in milliseconds.
double warmUp(Program &program);

} // namespace convoy::measure
