// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a trace on the simulator and says what its checksums prove.

#pragma once

#include "Accelerators/NVDLA/Simulator/HardwareConfig.h"
#include "Accelerators/NVDLA/Trace/Trace.h"

namespace convoy::nvdla {

struct TraceResult {
  enum class Status { Passed, Failed, Skipped } status = Status::Failed;
  /// Passed, but so would a simulator that does nothing: no evidence.
  bool isWeak = false;
  /// Why it failed or was skipped, or what was done about absent pixels.
  std::string note;
};

TraceResult runTrace(const Trace &trace, const HardwareConfig &config);

} // namespace convoy::nvdla
