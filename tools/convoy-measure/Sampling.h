// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the time of programs, for `convoy bench`.

#pragma once

#include "Peak.h"
#include "Program.h"

namespace convoy::measure {

/// The measured times of one program.
struct Timing {
  double loadMs = 0, firstMs = 0;
  std::vector<double> ms;        // one entry per sample
  std::vector<double> cpuMs;     // CPU time of the calling thread, one entry per sample
  std::vector<double> latencyMs; // one entry per inference, each timed on its own
};

struct Cold {
  Timing timing;
  double residentMb = 0;
  std::vector<bool> openOutputs; // of a compiled model: whether sizes of the output depend on data
};

/// Loads one program into this process, which has done nothing else, and runs it a few times.
Cold measureCold(const Spec &spec);

struct Comparison {
  Timing compiled, peer; // no samples if a program is not measured
  std::vector<double> peakGflops;
  double readGbs = 0; // of Spec::readBytes bytes; 0 if it is not measured
};

/// Runs the programs alternately, A B A B ..., and measures the peak in between and the bandwidth
/// afterwards.
Comparison compare(const Spec &spec);

/// Runs the peer once and writes its outputs.
void writePeerOutputs(const Spec &spec);

/// Runs a program until caches, pages and threads reach a steady state. Returns the shortest
/// time of an inference in milliseconds.
double warmUp(Program &program);

} // namespace convoy::measure
