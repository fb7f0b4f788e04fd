// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a trace on the simulator and reports whether its checksums match.

#pragma once

#include "Accelerators/NVDLA/Simulator/HardwareConfig.h"
#include "Accelerators/NVDLA/Trace/Trace.h"

namespace convoy::nvdla {

struct TraceResult {
  enum class Status { Passed, Failed, Skipped } status = Status::Failed;
  /// The trace passed, but a simulator that does nothing would pass too.
  bool isWeak = false;
  /// Why the trace failed or was skipped, or how missing pixels were handled.
  std::string note;
};

TraceResult runTrace(const Trace &trace, const HardwareConfig &config);

} // namespace convoy::nvdla
