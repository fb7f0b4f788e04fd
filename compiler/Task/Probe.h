// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of timed calls and waits. The tasks stage numbers the runs if the request asks for
// probes; convoy-codegen-insert-probes inserts a probe that reports the number.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace convoy::task {

/// An attribute of a run, of the calls that replace it, and of the call of a lowered wait: the
/// number that its probe reports. The number of a run is its index in execution order.
inline constexpr llvm::StringLiteral kProbeAttr = "task.probe";

/// Returns the number of a wait for a worker. Runs have numbers from 0 on.
constexpr int64_t waitNumber(int64_t worker) { return -1 - worker; }

} // namespace convoy::task
