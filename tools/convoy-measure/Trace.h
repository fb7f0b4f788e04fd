// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records when each thread runs which kernel and when it waits for other threads, for --trace. The
// model is built with probes around its kernels and waits.

#pragma once

#include "Program.h"

namespace convoy::measure {

/// A kernel (id >= 0) or a wait for a worker (id < 0). Times are relative to the begin of the
/// inference.
struct TraceEvent {
  int64_t id = 0;
  int64_t beginNs = 0, endNs = 0;
};

struct TraceThread {
  int cpu = -1; // on which the thread ran; -1: unknown
  std::vector<TraceEvent> events;
};

/// One inference: the median of several.
struct Trace {
  int64_t runNs = 0;
  std::vector<TraceThread> threads; // the first one called <model>_run
  std::vector<int64_t> runsNs;      // the times of all recorded inferences
  /// Milliseconds of an inference, one entry per sample, measured in turn with and without
  /// probes. The second list is empty without a library without probes.
  std::vector<double> tracedMs, plainMs;
};

Trace measureTrace(const Spec &spec);

} // namespace convoy::measure
